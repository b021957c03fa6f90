/** A request that is meant to keep a server busy. */
export interface WorstInput {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: () => string
  readonly headers?: Readonly<Record<string, string>>
}

const MEGABYTE = 1024 * 1024
/** The limit of the server is 16 MB; what stands around a text needs a little of it. */
const LARGEST = 15 * MEGABYTE

const repeat = (piece: string, bytes: number) =>
  piece.repeat(Math.floor(bytes / Buffer.byteLength(JSON.stringify(piece).slice(1, -1))))

/** Words that occur once each, of letters and digits. */
function newWords(bytes: number, seed: number): string {
  const words: string[] = []
  for (let length = 0, word = seed * 1e9; length < bytes; word++) {
    const text = `w${word.toString(36)}q`
    words.push(text)
    length += text.length + 1
  }
  return words.join(' ')
}

const append = (name: string, text: () => string): WorstInput => ({
  name: `append ${name}`,
  method: 'POST',
  path: `/v1/sessions/${encodeURIComponent(name)}/messages`,
  body: () => JSON.stringify({ role: 'user', text: text() }),
})

const REPETITIONS: readonly (readonly [name: string, piece: string, bytes: number])[] = [
  ['15 MB of ?sig=', '?sig=', LARGEST],
  ['15 MB of token=?', 'token=?', LARGEST],
  ['15 MB of …', '…', LARGEST],
  ['15 MB of letters', 'a', LARGEST],
  ['15 MB of quotes', '"', LARGEST],
  ['15 MB of emoji', '😀', LARGEST],
  ['15 MB of marks', 'e\u0301\u0302\u0303', LARGEST],
  ['15 MB of Han', '漢字', LARGEST],
  ['15 MB of lines', 'a\n', LARGEST],
  ['15 MB of days', 'next Friday, ', LARGEST],
  ['15 MB of headings', '## a\n', LARGEST],
  ['15 MB of links', '[a](https://a.b/c) ', LARGEST],
  ['15 MB of sentences', 'Ann said so. ', LARGEST],
]

const LONG_QUERY = encodeURIComponent('"a b" 2024-05-01 next c++ '.repeat(300)).slice(0, 7_000)

const APPENDS: readonly WorstInput[] = [
  ...REPETITIONS.map(([name, piece, bytes]) => append(name, () => repeat(piece, bytes))),
  append('5 MB of new words', () => newWords(5 * MEGABYTE, 1)),
  append('15 MB of new words', () => newWords(LARGEST, 2)),
  {
    name: 'append 1,000 messages of 15 KB',
    method: 'POST',
    path: '/v1/sessions/many/messages',
    body: () =>
      JSON.stringify({
        messages: Array.from({ length: 1000 }, (_, place) => ({
          role: 'user',
          text: newWords(15_000, 100 + place),
        })),
      }),
  },
  {
    name: 'append 300,000 parts',
    method: 'POST',
    path: '/v1/sessions/parts/messages',
    body: () =>
      JSON.stringify({
        role: 'user',
        content: Array.from({ length: 300_000 }, () => ({ type: 'text', text: 'word' })),
      }),
  },
  {
    name: 'append a tool result of 5,000,000 lists',
    method: 'POST',
    path: '/v1/sessions/lists/messages',
    body: () =>
      `{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","output":[${'[],'.repeat(5_000_000)}0]}]}`,
  },
  {
    name: 'append a tool result of 1,000,000 fields',
    method: 'POST',
    path: '/v1/sessions/fields/messages',
    body: () =>
      `{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","output":{${Array.from({ length: 1_000_000 }, (_, field) => `"f${field}":1`).join(',')}}}]}`,
  },
  {
    name: 'append 15 MB of [',
    method: 'POST',
    path: '/v1/sessions/deep/messages',
    body: () => `{"role":"user","text":${'['.repeat(LARGEST)}`,
  },
  {
    name: 'append 190 levels, 70,000 times',
    method: 'POST',
    path: '/v1/sessions/levels/messages',
    body: () =>
      `{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","output":[${`${'['.repeat(100)}${']'.repeat(100)},`.repeat(70_000)}0]}]}`,
  },
  {
    name: 'append escapes',
    method: 'POST',
    path: '/v1/sessions/escapes/messages',
    body: () => `{"role":"user","text":"${'\\u2026'.repeat(LARGEST / 6)}"}`,
  },
]

const ofSession = (session: string): readonly WorstInput[] => {
  const path = `/v1/sessions/${encodeURIComponent(session)}`
  return [
    { name: `context of ${session}`, method: 'POST', path: `${path}/context`, body: () => '{}' },
    { name: `search in ${session}`, method: 'GET', path: `${path}/search?q=said` },
    { name: `search a phrase in ${session}`, method: 'GET', path: `${path}/search?q=%22a%20a%20a%22` },
    { name: `search by date in ${session}`, method: 'GET', path: `${path}/search?q=2026` },
    { name: `read ${session}`, method: 'GET', path: `${path}/messages` },
    {
      name: `edit in ${session}`,
      method: 'PATCH',
      path: `${path}/messages/1`,
      body: () => JSON.stringify({ text: repeat('Ann said … ', LARGEST) }),
    },
    {
      name: `replay ${session}`,
      method: 'POST',
      path: '/v1/replay',
      body: () => JSON.stringify({ session }),
    },
    { name: `fold ${session}`, method: 'POST', path: `${path}/compact`, body: () => '{"force":true}' },
    { name: `context of ${session} folded`, method: 'POST', path: `${path}/context`, body: () => '{}' },
    {
      name: `fork ${session}`,
      method: 'POST',
      path: `${path}/fork`,
      body: () => JSON.stringify({ id: `${session} 2` }),
    },
    { name: `erase a message of ${session}`, method: 'DELETE', path: `${path}/messages/1` },
    { name: `erase ${session}`, method: 'DELETE', path },
  ]
}

const MEMORY: readonly WorstInput[] = [
  ['lines', '- Ann likes tea\n'],
  ['headings', '## A\n'],
  ['fences', '```\n'],
  ['letters', 'a'],
  ['…', '…'],
  ['token=?', 'token=?'],
].flatMap(([name, piece]) => [
  {
    name: `write 15 MB of ${name} as memory`,
    method: 'PUT' as const,
    path: '/v1/memory/global',
    body: () => JSON.stringify({ content: repeat(piece!, LARGEST) }),
  },
  {
    name: `change memory of 15 MB of ${name}`,
    method: 'PATCH' as const,
    path: '/v1/memory/global',
    body: () => JSON.stringify({ section: 'A', append: repeat('- Ben likes tea\n', MEGABYTE) }),
  },
  { name: `read memory of 15 MB of ${name}`, method: 'GET' as const, path: '/v1/memory/global' },
  {
    name: `context with 15 MB of ${name} as memory`,
    method: 'POST' as const,
    path: '/v1/sessions/chat-1/context',
    body: () => '{}',
  },
  {
    name: `undo memory of 15 MB of ${name}`,
    method: 'POST' as const,
    path: '/v1/memory/global/undo',
    body: () => '{}',
  },
])

const turns = (count: number) =>
  Array.from({ length: count }, (_, place) => ({
    role: place % 2 ? 'assistant' : 'user',
    content: `Turn ${place}: shall we meet at the harbour, or at the café where we were last week?`,
  }))

const OTHERS: readonly WorstInput[] = [
  { name: 'a long query', method: 'GET', path: `/v1/search?q=${LONG_QUERY}` },
  {
    name: 'a completion of 20,001 messages',
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'x-palimpsest-session': 'completion' },
    body: () => JSON.stringify({ model: 'm', messages: turns(20_001) }),
  },
  {
    name: 'the same with one more',
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'x-palimpsest-session': 'completion' },
    body: () => JSON.stringify({ model: 'm', messages: turns(20_003) }),
  },
  {
    name: 'a completion with a message of 15 MB',
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'x-palimpsest-session': 'completion 2' },
    body: () =>
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: repeat('token=? … ', LARGEST) }] }),
  },
  {
    name: 'settings of 15 MB',
    method: 'PUT',
    path: '/v1/settings',
    body: () => JSON.stringify({ policy: repeat('a', LARGEST) }),
  },
  {
    name: 'MCP with 15 MB',
    method: 'POST',
    path: '/mcp',
    headers: { accept: 'application/json, text/event-stream' },
    body: () =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'append_messages',
          arguments: { session: 'mcp', messages: [{ role: 'user', text: repeat('… ', LARGEST) }] },
        },
      }),
  },
]

/** For a look: what is done with two sessions, from their first message to their end. */
export const FEW_INPUTS: readonly WorstInput[] = ['15 MB of …', '5 MB of new words'].flatMap(session => [
  ...APPENDS.filter(({ name }) => name === `append ${session}`),
  ...ofSession(session),
])

export const WORST_INPUTS: readonly WorstInput[] = [
  ...APPENDS,
  ...ofSession('15 MB of …'),
  ...ofSession('15 MB of sentences'),
  ...ofSession('15 MB of days'),
  ...ofSession('5 MB of new words'),
  ...ofSession('many'),
  ...ofSession('15 MB of letters'),
  ...MEMORY,
  ...OTHERS,
]
