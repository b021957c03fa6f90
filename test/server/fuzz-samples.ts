type Body = Readonly<Record<string, unknown>>

const MESSAGE = {
  role: 'user',
  text: 'lemons for Porto',
  sender: { id: 'u', name: 'Mara' },
  at: '2026-02-10T14:00:00Z',
  zone: 'Europe/Lisbon',
  externalId: 'm-1',
  replyTo: 1,
}
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'look_up', arguments: '{"what":"lemons"}' },
}
const TOOL = {
  type: 'function',
  function: { name: 'look_up', description: 'Looks up.', parameters: { type: 'object', properties: {} } },
}
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
const toolCall = (name: string, args: object) => rpc('tools/call', { name, arguments: args })
const WRITES = [
  { content: '# Mara\n## Likes\n- lemons', author: 'me' },
  { section: 'Likes', content: '- tea', author: 'me' },
  { append: '- a bicycle', section: 'Likes' },
]

/** Bodies that are sound, by the end of a path: one thing at a time is broken in them. A new route begins with none. */
const SAMPLES: Readonly<Record<string, readonly Body[]>> = {
  messages: [
    MESSAGE,
    {
      messages: [MESSAGE, { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }],
      kind: 'private',
      user: 'u',
    },
    { role: 'user', text: 'x', policy: 'count', threshold: 5, keepLast: 2 },
  ],
  '{seq}': [{ text: 'limes' }, { content: [{ type: 'text', text: 'limes' }] }],
  rollback: [{ toSeq: 18 }],
  fork: [{ id: 'forked', atSeq: 5 }],
  context: [
    {
      budget: 4_000,
      query: 'lemons',
      instructions: 'Be brief.',
      format: 'openai',
      tools: { a: {} },
      reasoning: 'keep',
    },
    { format: 'text', limit: 500, model: 'gpt-5', policy: 'rounds', fullContextTurns: 2 },
    // For these there is no room.
    { budget: 2, query: 'lemons' },
    { instructions: 'lemons '.repeat(40_000) },
  ],
  compact: [
    { force: 'lite', focus: 'lemons' },
    { force: true, policy: 'count', threshold: 5, keepLast: 2 },
  ],
  replay: [
    { session: 's', policy: 'count', threshold: 6, keepLast: 2, prices: 'gpt-5' },
    { policy: 'rounds', fullContextTurns: 2 },
  ],
  settings: [
    { policy: 'count', threshold: 30, keepLast: 4 },
    { budget: 9_000, zone: 'Asia/Shanghai', lowWater: 0.4 },
  ],
  undo: [{ version: 1, author: 'me' }, {}],
  persona: WRITES,
  global: WRITES,
  '{key}': WRITES,
  completions: [
    { model: 'm', user: 's', budget: 2, messages: [{ role: 'user', content: 'no room for lemons' }] },
    {
      model: 'm',
      user: 's',
      messages: [
        { role: 'system', content: 'Brief.' },
        { role: 'user', content: 'lemons?' },
      ],
    },
    {
      model: 'm',
      user: 'openai',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'lemons?' }] },
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: 'yellow' },
      ],
      tools: [TOOL],
      tool_choice: 'auto',
      temperature: 0.5,
      max_tokens: 100,
      stop: ['x'],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
    },
  ],
  mcp: [
    toolCall('append_messages', { session: 's', ...MESSAGE }),
    toolCall('get_context', { session: 's', budget: 4_000, query: 'lemons' }),
    toolCall('query_history', { session: 's', query: 'lemons', limit: 3 }),
    toolCall('expand_history', { session: 's', fromSeq: 1, toSeq: 3 }),
    rpc('tools/list', {}),
    rpc('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }),
  ],
}

export function samplesOf(path: string): readonly Body[] {
  return SAMPLES[path.split('/').at(-1) ?? ''] ?? [{}]
}
