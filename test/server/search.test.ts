import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../packages/server/src/index.ts'
import { postgresPlace, sqlitePlace } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'

interface Found {
  readonly sessionId: string
  readonly seq: number
  readonly excerpt: string
  readonly score: number
  readonly highlights: readonly [number, number][]
}

const names = (results: readonly Found[]) => results.map(({ sessionId, seq }) => `${sessionId}/${seq}`)

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
])('search on %s', (_, newPlace) => {
  const place = newPlace()
  let client: Client

  const append = (session: string, body: object) =>
    client.call('POST', `/v1/sessions/${encodeURIComponent(session)}/messages`, body)

  const search = async (path: string, query: Record<string, string | readonly string[]>) => {
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map(each => [name, each] as [string, string]),
    )
    return client.call('GET', `${path}?${new URLSearchParams(parameters)}`)
  }

  beforeAll(async () => {
    client = await openClient(place)
    await append('a/b 🙂', {
      kind: 'private',
      user: 'u-1',
      messages: [
        {
          role: 'user',
          text: 'Where does the ferry to Oslo leave?',
          sender: { id: 'u-1', name: 'Ann' },
          at: '2026-01-10T09:00:00Z',
          externalId: 'm-1',
        },
        { role: 'assistant', text: 'The ferries leave from pier 7.', at: '2026-01-10T09:01:00Z' },
        {
          role: 'user',
          text: '我们星期五发布新版本。',
          sender: { id: 'u-1', name: 'Ann' },
          at: '2026-01-11T23:30:00Z',
        },
      ],
    })
    await append('group', {
      kind: 'group',
      scope: 'project-1',
      messages: [
        { role: 'user', text: 'Bring the ferry tickets.', sender: 'Bob', at: '2026-02-01T10:00:00Z' },
        { role: 'user', text: 'And a hat.', sender: 'Cy', at: '2026-02-01T10:05:00Z' },
      ],
    })
    await append('long', { messages: talk(40) })
    await client.call('POST', '/v1/sessions/long/compact', { policy: 'count' })
  })
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await place.remove()
  })

  test('finds messages of one session, best first, with what stands beside them', async () => {
    const { status, json } = await search('/v1/sessions/a%2Fb%20%F0%9F%99%82/search', { q: 'ferry pier' })
    expect(status).toBe(200)
    expect(json).toEqual({
      next: null,
      results: [
        {
          ...{ sessionId: 'a/b 🙂', seq: 2, externalId: null, role: 'assistant', sender: null },
          ...{ at: '2026-01-10T09:01:00.000Z', score: expect.any(Number), archived: false },
          excerpt: 'The ferries leave from pier 7.',
          highlights: expect.any(Array),
          before: [
            {
              ...{ seq: 1, role: 'user', sender: { id: 'u-1', name: 'Ann' }, at: '2026-01-10T09:00:00.000Z' },
              excerpt: 'Where does the ferry to Oslo leave?',
            },
          ],
          after: [expect.objectContaining({ seq: 3, excerpt: '我们星期五发布新版本。' })],
        },
        expect.objectContaining({ seq: 1, externalId: 'm-1', before: [] }),
      ],
    })
    const [best, second] = json.results as Found[]
    expect(best!.score).toBeGreaterThan(second!.score)
    expect(best!.highlights.map(([from, to]) => best!.excerpt.slice(from, to))).toEqual(['ferries', 'pier'])
  })

  test.each([
    [{ q: '发布' }, ['a/b 🙂/3']],
    [{ q: 'ferry', session: 'group' }, ['group/1']],
    [{ q: 'ferry', user: 'u-1', role: 'assistant' }, ['a/b 🙂/2']],
    [{ q: 'ferry', scope: 'project-1' }, ['group/1']],
    [{ q: 'ferry', scope: 'project-1', user: 'u-1' }, []],
    [{ q: 'ferry', sender: 'Bob' }, ['group/1']],
    [{ q: 'ferry', sender: 'Ann' }, ['a/b 🙂/1']],
    [{ q: 'ferry', after: '2026-01-11' }, ['group/1']],
    [{ q: 'ferry', before: '2026-01-10T09:01:00Z' }, ['a/b 🙂/1']],
    [{ q: '"ferry tickets"' }, ['group/1']],
    [{ q: '' }, []],
    [{ q: ' \t' }, []],
    [{ q: 'hovercraft' }, []],
    [{ q: 'ferry', session: 'nobody' }, []],
    [{ q: 'ferry', session: ['nobody', 'group'] }, ['group/1']],
    [{ q: 'x'.repeat(8_000) }, []],
  ])('over all sessions, %j', async (query, found) => {
    const { status, json } = await search('/v1/search', query)
    expect({ status, found: names(json.results), next: json.next }).toEqual({
      status: 200,
      found,
      next: null,
    })
  })

  test('a session may be named several times', async () => {
    const { json } = await search('/v1/search', { q: 'ferry', session: ['a/b 🙂', 'group'] })
    expect(names(json.results).toSorted()).toEqual(['a/b 🙂/1', 'a/b 🙂/2', 'group/1'])
  })

  test('pages follow each other without gap or repeat; folded messages are found', async () => {
    const whole = await search('/v1/sessions/long/search', { q: 'lemons', limit: '100', neighbours: '0' })
    expect(whole.json.results).toHaveLength(40)
    expect(
      whole.json.results.filter(({ archived }: { archived: boolean }) => archived).length,
    ).toBeGreaterThan(9)
    expect(whole.json.results[0]).toMatchObject({ before: [], after: [] })
    const paged: Found[] = []
    let cursor: string | null = null
    do {
      const query = { q: 'lemons', limit: '7', neighbours: '0', ...(cursor && { cursor }) }
      const { json } = await search('/v1/sessions/long/search', query)
      paged.push(...json.results)
      cursor = json.next
    } while (cursor !== null)
    expect(paged).toEqual(whole.json.results)
  })

  test('what was just said is found at once, and what was edited by what it says now', async () => {
    await append('new', { role: 'user', text: 'A zebra.' })
    expect((await search('/v1/sessions/new/search', { q: 'zebra' })).json.results).toHaveLength(1)
    await client.call('PATCH', '/v1/sessions/new/messages/1', { text: 'A giraffe.' })
    expect((await search('/v1/sessions/new/search', { q: 'zebra' })).json.results).toEqual([])
    expect((await search('/v1/sessions/new/search', { q: 'giraffe' })).json.results).toMatchObject([
      { seq: 1, excerpt: 'A giraffe.' },
    ])
  })

  test('a segment is opened, down to the messages, in pages', async () => {
    const { segments } = (await client.call('GET', '/v1/sessions/long/segments')).json
    const { id, fromSeq, toSeq } = segments[0]
    const path = `/v1/sessions/long/segments/${id}`
    const first = await client.call('GET', `${path}?limit=2`)
    expect(first).toMatchObject({
      status: 200,
      json: { segment: { id }, fromSeq, toSeq, segments: [], next: fromSeq + 1 },
    })
    expect(first.json.messages).toMatchObject([
      { seq: fromSeq, text: expect.stringContaining('message 1:'), archived: true },
      { seq: fromSeq + 1 },
    ])
    const rest = await client.call('GET', `${path}?to=messages&after=${first.json.next}&tokens=1000000`)
    expect(rest.json.messages.at(-1).seq).toBe(toSeq)
    expect(rest.json.next).toBeNull()
    expect((await client.call('GET', `${path}?tokens=1`)).json.messages).toHaveLength(1)
  })

  test.each([
    ['/v1/search', 422, 'invalid_argument', 'q: nothing is given'],
    ['/v1/sessions/long/search?limit=3', 422, 'invalid_argument', 'what to search for'],
    ['/v1/sessions/nobody/search?q=x', 404, 'session_not_found', 'nobody'],
    ['/v1/sessions/nobody/search?q=', 404, 'session_not_found', 'nobody'],
    ['/v1/search?q=x&limit=0', 422, 'invalid_argument', 'from 1 to 100'],
    ['/v1/search?q=x&limit=101', 422, 'invalid_argument', 'from 1 to 100'],
    ['/v1/search?q=x&limit=5&limit=6', 422, 'invalid_argument', 'from 1 to 100'],
    ['/v1/search?q=x&q=y', 422, 'invalid_argument', 'what to search for'],
    ['/v1/search?q=x&neighbours=6', 422, 'invalid_argument', 'from 0 to 5'],
    ['/v1/search?q=x&role=bot', 422, 'invalid_argument', 'system, user, assistant, tool'],
    ['/v1/search?q=x&after=soon', 422, 'invalid_argument', 'a day or an instant'],
    ['/v1/search?q=x&cursor=x', 422, 'invalid_argument', 'next'],
    ['/v1/search?q=x&from=y', 422, 'invalid_argument', 'the fields q, limit'],
    ['/v1/sessions/long/search?q=x&session=y', 422, 'invalid_argument', 'the fields q, limit'],
    ['/v1/sessions/long/segments/999999', 404, 'segment_not_found', '999999'],
    ['/v1/sessions/nobody/segments/1', 404, 'session_not_found', 'nobody'],
    ['/v1/sessions/long/segments/x', 422, 'invalid_argument', 'segment: "x"'],
    ['/v1/sessions/long/segments/1?to=top', 422, 'invalid_argument', 'level, messages'],
    ['/v1/sessions/long/segments/1?tokens=0', 422, 'invalid_argument', 'at least 1'],
  ])('GET %s is a clear error', async (path, status, code, message) => {
    const answer = await client.call('GET', path)
    expect(answer).toMatchObject({ status, json: { error: { code } } })
    expect(answer.json.error.message).toContain(message)
    expect(client.errors).toEqual([])
  })

  test('a context recalls what answers the question', async () => {
    const filler = talk(30).map(message => ({ ...message, text: message.text.replaceAll('Porto', 'cake') }))
    await append('recall', {
      messages: [{ role: 'user', text: 'The door code is 4711.', sender: 'Ann' }, ...filler],
    })
    await client.call('POST', '/v1/sessions/recall/compact', { policy: 'count' })
    const path = '/v1/sessions/recall/context'
    const blocks = (json: { report: { blocks: { name: string }[] } }) =>
      json.report.blocks.map(({ name }) => name)
    const plain = await client.call('POST', path, {})
    expect(blocks(plain.json)).not.toContain('recall')
    const asked = await client.call('POST', path, { query: 'What is the door code?' })
    expect(asked.status).toBe(200)
    expect(blocks(asked.json)).toContain('recall')
    expect(JSON.stringify(asked.json.messages)).toContain('4711')
    expect(asked.json.report.prefixHash).toBe(plain.json.report.prefixHash)
    expect(blocks((await client.call('POST', path, { query: '' })).json)).not.toContain('recall')
    expect(await client.call('POST', path, { query: 7 })).toMatchObject({
      status: 422,
      json: { error: { details: { field: 'query' } } },
    })
  })
})

test('over a port: percent signs, plus signs and other scripts reach the search as they are', async () => {
  const place = sqlitePlace()
  const server = await startServer({ store: await place.open(), port: 0 })
  const session = `${server.url}/v1/sessions/${encodeURIComponent('チャット %')}`
  await fetch(`${session}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      messages: [
        { role: 'user', text: 'C++ 100% 東京' },
        { role: 'user', text: 'c' },
      ],
    }),
  })
  for (const q of ['C++', '100%', '東京']) {
    const answer = await fetch(`${session}/search?${new URLSearchParams({ q, limit: '1' })}`)
    expect(await answer.json()).toMatchObject({ results: [{ sessionId: 'チャット %', seq: 1 }] })
  }
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { parameters?: { name: string }[] }>>
  }
  const { parameters } = document.paths['/v1/search']!['get']!
  expect(parameters!.map(({ name }) => name)).toEqual(expect.arrayContaining(['q', 'session', 'cursor']))
  await server.close()
  await place.remove()
})
