import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresPlace, sqlitePlace } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'

const message = { role: 'user', text: 'Shall we ship on Friday?' }
const pathOf = (layer: string, key: string) => `/v1/memory/${layer}/${encodeURIComponent(key)}`

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
])('on %s', (_, newPlace) => {
  const place = newPlace()
  let client: Client
  beforeAll(async () => {
    client = await openClient(place)
    for (const id of ['telegram:42', 'a/b', '🙂 聊天'])
      await client.call('POST', `/v1/sessions/${encodeURIComponent(id)}/messages`, message)
  })
  afterAll(async () => {
    expect(client.errors).toEqual([])
    await client[Symbol.asyncDispose]()
    await place.remove()
  })

  test('a document is written, read, changed by sections, and taken back', async () => {
    const path = pathOf('user', 'u-7')
    expect(await client.call('GET', path)).toMatchObject({
      status: 404,
      json: { error: { code: 'document_not_found', details: { layer: 'user', key: 'u-7' } } },
    })
    const created = await client.call('PUT', path, {
      content: '## Profile\r\n- Birthday: 3 May',
      author: 'Ann',
    })
    expect(created).toMatchObject({
      status: 201,
      json: {
        layer: 'user',
        key: 'u-7',
        content: '## Profile\n- Birthday: 3 May\n',
        sections: [{ heading: 'Profile', level: 2, content: '- Birthday: 3 May' }],
        version: 1,
        etag: '"1"',
        tokens: expect.any(Number),
        budget: 800,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    })
    expect(created.headers.get('etag')).toBe('"1"')
    const added = await client.call('PATCH', path, { append: '- Likes lemons', section: 'Profile' })
    expect(added.json.content).toBe('## Profile\n- Birthday: 3 May\n- Likes lemons\n')
    expect(await client.call('PATCH', path, { section: 'Plans', content: '- Ship on Friday' })).toMatchObject(
      {
        status: 200,
        json: {
          version: 3,
          sections: [{ heading: 'Profile' }, { heading: 'Plans', level: 2, content: '- Ship on Friday' }],
        },
      },
    )
    expect((await client.call('PATCH', path, { append: 'The end.' })).json.content).toMatch(/The end\.\n$/)
    const undone = await client.call('POST', `${path}/undo`, { version: 2, author: 'Bob' })
    expect(undone).toMatchObject({ status: 200, json: { version: 5, etag: '"5"' } })
    expect(undone.headers.get('etag')).toBe('"5"')
    expect(undone.json.content).not.toContain('lemons')
    expect(undone.json.content).toContain('Ship on Friday')
    expect((await client.call('POST', `${path}/undo`)).json.content).not.toContain('The end.')
    const read = await client.call('GET', path)
    expect(read).toMatchObject({ status: 200, json: { version: 6 } })
    expect(read.headers.get('etag')).toBe('"6"')
  })

  test('versions are read in pages, newest first', async () => {
    const path = pathOf('scope', 'project 1')
    for (const content of ['one', 'two', 'three']) await client.call('PUT', path, { content })
    await client.call('POST', `${path}/undo`, { author: 'Ann' })
    const first = await client.call('GET', `${path}/versions?limit=2`)
    expect(first).toMatchObject({
      status: 200,
      json: {
        next: 3,
        versions: [
          {
            version: 4,
            content: 'two\n',
            author: { kind: 'person', name: 'Ann' },
            sources: [],
            at: expect.stringMatching(/Z$/),
            undoes: 3,
          },
          { version: 3, content: 'three\n', author: { kind: 'person', name: null }, undoes: null },
        ],
      },
    })
    expect((await client.call('GET', `${path}/versions?before=3&limit=2`)).json).toMatchObject({
      versions: [{ version: 2 }, { version: 1 }],
      next: null,
    })
    expect((await client.call('GET', `${path}/versions?before=1`)).json).toEqual({ versions: [], next: null })
  })

  test('persona and global have one document each, under several names', async () => {
    for (const layer of ['persona', 'global']) {
      const bare = `/v1/memory/${layer}`
      expect(await client.call('PUT', bare, { content: `I am ${layer}.` })).toMatchObject({
        status: 201,
        json: { layer, key: 'default', version: 1 },
      })
      for (const path of [bare, `${bare}/`, `${bare}/default`, `${bare}/${layer}`])
        expect((await client.call('GET', path)).json).toMatchObject({ layer, key: 'default', version: 1 })
      await client.call('PATCH', `${bare}/default`, { append: 'More.' })
      for (const path of [bare, `${bare}/default`])
        expect((await client.call('GET', `${path}/versions`)).json.versions).toHaveLength(2)
      expect((await client.call('POST', `${bare}/undo`)).json).toMatchObject({ version: 3, key: 'default' })
      expect(await client.call('GET', `${bare}/other`)).toMatchObject({
        status: 422,
        json: {
          error: {
            code: 'invalid_argument',
            message: expect.stringContaining(`none, or "default": there is one ${layer} document`),
          },
        },
      })
    }
  })

  test.each(['a:b', 'a/b', '🙂 聊天', '100%', 'default', 'versions', 'undo', 'a long one'])(
    'the key %j is what it is',
    async name => {
      const key = name === 'a long one' ? 'x'.repeat(4_000) : name
      const path = pathOf('user', key)
      expect(await client.call('PUT', path, { content: `Of ${key}` })).toMatchObject({
        status: 201,
        json: { key },
      })
      expect((await client.call('GET', path)).json).toMatchObject({ key, content: `Of ${key}\n` })
      expect((await client.call('GET', `${path}/versions`)).json.versions).toHaveLength(1)
      expect((await client.call('POST', `${path}/undo`)).json).toMatchObject({ key, content: '' })
    },
  )

  test('memory of a chat begins with its template, and needs the session', async () => {
    const { json } = await client.call('PATCH', pathOf('chat', 'telegram:42'), {
      section: 'Agreements',
      content: '- Fridays only',
    })
    expect(json).toMatchObject({ layer: 'chat', key: 'telegram:42', version: 1, budget: 1_200 })
    expect(json.content).toContain('## Basic information')
    for (const [layer, key] of [
      ['chat', 'nobody'],
      ['daily', '2026-02-10/nobody'],
    ] as const) {
      const path = pathOf(layer, key)
      const answers = [
        await client.call('GET', path),
        await client.call('GET', `${path}/versions`),
        await client.call('PUT', path, { content: 'x' }),
        await client.call('PUT', path, { content: '' }),
        await client.call('PUT', path, { content: 'x' }, { 'if-match': '"1"' }),
        await client.call('PATCH', path, { append: 'x' }),
        await client.call('POST', `${path}/undo`),
      ]
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 404, json: { error: { code: 'session_not_found' } } })
    }
    const untouched = pathOf('chat', 'a/b')
    for (const [method, path] of [
      ['GET', untouched],
      ['GET', `${untouched}/versions`],
      ['POST', `${untouched}/undo`],
    ] as const)
      expect(await client.call(method, path)).toMatchObject({
        status: 404,
        json: { error: { code: 'document_not_found' } },
      })
  })

  test('a day of a chat has a key of its own; the day alone has them all', async () => {
    const day = '2026-02-10'
    const keys = ['telegram:42', 'a/b', '🙂 聊天'].map(id => `${day}/${id}`)
    for (const key of keys)
      expect(await client.call('PATCH', pathOf('daily', key), { append: `- ${key}` })).toMatchObject({
        status: 201,
        json: { layer: 'daily', key, content: `- ${key}\n` },
      })
    await client.call('PATCH', pathOf('daily', '2026-02-11/a/b'), { append: '- the next day' })
    await client.call('PATCH', pathOf('daily', '2026-02-09/a/b'), { append: '- the day before' })
    const all = await client.call('GET', `/v1/memory/daily/${day}`)
    expect(all).toMatchObject({ status: 200, json: { layer: 'daily', key: day, next: null } })
    expect(all.json.documents.map(({ key }: { key: string }) => key).toSorted()).toEqual(keys.toSorted())
    expect(all.json.documents[0]).toMatchObject({ version: 1, etag: '"1"', content: expect.any(String) })
    const found: string[] = []
    for (let next = ''; ; ) {
      const page = await client.call('GET', `/v1/memory/daily/${day}?limit=2${next && `&after=${next}`}`)
      found.push(...page.json.documents.map(({ key }: { key: string }) => key))
      if (page.json.next === null) break
      next = page.json.next
    }
    expect(found.toSorted()).toEqual(keys.toSorted())
    expect((await client.call('GET', '/v1/memory/daily/2026-02-12')).json).toEqual({
      ...{ layer: 'daily', key: '2026-02-12' },
      ...{ documents: [], next: null },
    })
    expect((await client.call('GET', '/v1/memory/daily/2026-02-30')).status).toBe(422)
    const bare = `/v1/memory/daily/${day}`
    for (const answer of [
      await client.call('PUT', bare, { content: 'x' }),
      await client.call('PATCH', bare, { append: 'x' }),
      await client.call('POST', `${bare}/undo`),
      await client.call('GET', `${bare}/versions`),
      await client.call('GET', '/v1/memory/daily/today'),
    ])
      expect(answer).toMatchObject({
        status: 422,
        json: { error: { message: expect.stringContaining('2026-02-10%2Ftelegram%3A42') } },
      })
  })

  test('documents are listed in pages, of all layers or of one', async () => {
    const own = newPlace()
    await using lister = await openClient(own, { environment: { userMemoryTokens: 300 } })
    await lister.call('PUT', '/v1/memory/persona', { content: 'I am Bo.' })
    for (const key of ['c', 'a', '🙂', 'b'])
      await lister.call('PUT', pathOf('user', key), { content: `Of ${key}` })
    await lister.call('PUT', pathOf('scope', 'a'), { content: 'Plans' })
    const pages = async (query: string) => {
      const found: { layer: string; key: string }[] = []
      for (let next = ''; ; ) {
        const { status, json } = await lister.call('GET', `/v1/memory?${query}${next && `&after=${next}`}`)
        expect(status).toBe(200)
        found.push(...json.documents)
        if (json.next === null) return found
        expect(json.documents).toHaveLength(2)
        next = json.next
      }
    }
    const all = await pages('limit=2')
    expect(all.map(({ layer, key }) => `${layer} ${key}`)).toEqual([
      'persona default',
      'scope a',
      'user a',
      'user b',
      'user c',
      'user 🙂',
    ])
    expect(all[2]).toEqual({
      ...{ layer: 'user', key: 'a', version: 1, tokens: expect.any(Number), budget: 300 },
      ...{ createdAt: expect.stringMatching(/Z$/), updatedAt: expect.stringMatching(/Z$/) },
    })
    expect((await pages('limit=2&layer=user')).map(({ key }) => key)).toEqual(['a', 'b', 'c', '🙂'])
    expect((await pages('layer=daily')).length).toBe(0)
    await own.remove()
  })

  test('If-Match holds a write to what was read', async () => {
    const path = pathOf('user', 'etags')
    const put = (content: string, headers: Record<string, string>) =>
      client.call('PUT', path, { content }, headers)
    expect(await put('x', { 'if-match': '*' })).toMatchObject({
      status: 412,
      json: { error: { code: 'document_conflict' } },
    })
    expect((await put('one', { 'if-none-match': '*' })).status).toBe(201)
    expect((await put('x', { 'if-none-match': '*' })).status).toBe(412)
    expect((await put('two', { 'if-match': '"1"' })).json).toMatchObject({ version: 2 })
    expect((await put('three', { 'if-match': '"9", W/"2" , "2"' })).json).toMatchObject({ version: 3 })
    expect((await put('four', { 'if-match': ' * ' })).json).toMatchObject({ version: 4 })
    for (const tags of ['"3"', 'W/"4"', '"1","2"', '"abc"', '"04"', '""', '"0"']) {
      for (const answer of [
        await put('x', { 'if-match': tags }),
        await client.call('PATCH', path, { section: 'A', content: 'x' }, { 'if-match': tags }),
        await client.call('PATCH', path, { append: 'x' }, { 'if-match': tags }),
      ])
        expect(answer).toMatchObject({
          status: 412,
          json: { error: { code: 'document_conflict', details: { layer: 'user', key: 'etags', actual: 4 } } },
        })
    }
    for (const headers of [
      { 'if-match': '4' },
      { 'if-match': '"4" "5"' },
      { 'if-match': '"4", *' },
      { 'if-none-match': '"4"' },
      { 'if-match': '"4"', 'if-none-match': '*' },
    ] as Record<string, string>[])
      expect((await put('x', headers)).status).toBe(422)
    expect((await client.call('GET', path)).json).toMatchObject({ content: 'four\n', version: 4 })
    expect(
      (await client.call('PATCH', path, { append: 'five' }, { 'if-match': '"4"' })).headers.get('etag'),
    ).toBe('"5"')
  })

  test('of many writers that read the same, one writes', async () => {
    const path = pathOf('user', 'race')
    await client.call('PUT', path, { content: 'start' })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        client.call('PUT', path, { content: `by ${index}` }, { 'if-match': index % 2 ? '"1"' : '"1", "7"' }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(412)])
    expect((await client.call('GET', path)).json.version).toBe(2)
  })

  test('If-None-Match spares a reader what it has', async () => {
    const path = pathOf('user', 'cached')
    await client.call('PUT', path, { content: 'one' })
    const get = (tags: string) => client.call('GET', path, undefined, { 'if-none-match': tags })
    for (const tags of ['"1"', 'W/"1"', '"3", "1"', '*']) {
      const answer = await get(tags)
      expect(answer).toMatchObject({ status: 304, json: null })
      expect(answer.headers.get('etag')).toBe('"1"')
      expect(answer.headers.get('x-request-id')).not.toBeNull()
    }
    await client.call('PUT', path, { content: 'two' })
    expect(await get('"1"')).toMatchObject({ status: 200, json: { version: 2 } })
    expect((await get('1')).status).toBe(422)
    expect((await client.call('HEAD', path)).headers.get('etag')).toBe('"2"')
  })
})

describe('a request about memory that cannot be taken says why', () => {
  const place = sqlitePlace()
  let client: Client
  beforeAll(async () => {
    client = await openClient(place)
    await client.call('PUT', '/v1/memory/persona', { content: '## Tone\n\nBrief.' })
  })
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await place.remove()
  })

  const P = '/v1/memory/persona'
  test.each<[string, string, unknown, number, string, string]>([
    ['GET', '/v1/memory?layer=chats', undefined, 422, 'invalid_argument', 'persona, global, user'],
    ['GET', '/v1/memory?after=x', undefined, 422, 'invalid_argument', '`next` of the page before'],
    ['GET', '/v1/memory?after=W10', undefined, 422, 'invalid_argument', '`next` of the page before'],
    ['GET', '/v1/memory?limit=0', undefined, 422, 'invalid_argument', 'from 1 to 1000'],
    ['GET', '/v1/memory?page=1', undefined, 422, 'invalid_argument', 'the fields layer, after, limit'],
    ['GET', '/v1/memory/soul/x', undefined, 422, 'invalid_argument', 'layer: "soul"'],
    ['GET', '/v1/memory/user/a%00b', undefined, 422, 'invalid_argument', 'without NUL'],
    ['GET', '/v1/memory/user', undefined, 404, 'route_not_found', '/v1/memory/user'],
    ['GET', `${P}?x=1`, undefined, 422, 'invalid_argument', 'nothing in the query'],
    ['GET', `${P}/versions?before=0`, undefined, 422, 'invalid_argument', 'before: "0"'],
    ['GET', `${P}/versions?limit=101`, undefined, 422, 'invalid_argument', 'from 1 to 100'],
    ['PUT', P, {}, 422, 'invalid_argument', 'content: nothing is given'],
    ['PUT', P, { content: 1 }, 422, 'invalid_argument', 'content: 1'],
    ['PUT', P, { content: 'x', author: '' }, 422, 'invalid_argument', 'a name of 1 to 200 characters'],
    ['PUT', P, { content: 'x', ifVersion: 1 }, 422, 'invalid_argument', 'ifVersion: 1'],
    ['PUT', '/v1/memory/global', { content: ' \n\uFEFF' }, 422, 'invalid_argument', 'no document yet'],
    ['PATCH', P, {}, 422, 'invalid_argument', 'either section and content'],
    ['PATCH', P, { content: 'x' }, 422, 'invalid_argument', 'section: nothing is given'],
    ['PATCH', P, { section: 'Tone' }, 422, 'invalid_argument', 'content: nothing is given'],
    ['PATCH', P, { section: 'Tone', content: 'x', append: 'y' }, 422, 'invalid_argument', 'append: "y"'],
    ['PATCH', P, { section: 'Tone', content: '## Other' }, 422, 'invalid_argument', 'begin another section'],
    ['PATCH', P, { section: '##', content: 'x' }, 422, 'invalid_argument', 'section: "##"'],
    ['PATCH', P, { append: ' ' }, 422, 'invalid_argument', 'not empty'],
    ['PATCH', P, { append: 'x', sources: [] }, 422, 'invalid_argument', 'sources: []'],
    ['POST', `${P}/undo`, { version: 9 }, 422, 'invalid_argument', 'a version from 1 to 1'],
    ['POST', `${P}/undo`, { version: 0 }, 422, 'invalid_argument', 'version: 0'],
    ['DELETE', P, undefined, 405, 'method_not_allowed', 'GET, PUT, PATCH'],
    ['DELETE', '/v1/memory/user/x', undefined, 405, 'method_not_allowed', 'GET, PUT, PATCH'],
    ['POST', '/v1/memory', {}, 405, 'method_not_allowed', 'GET'],
  ])('%s %s %j', async (method, path, body, status, code, words) => {
    const answer = await client.call(method, path, body)
    expect(answer).toMatchObject({ status, json: { error: { code } } })
    expect(answer.json.error.message).toContain(words)
    expect((await client.call('GET', P)).json.version).toBe(1)
    expect(client.errors).toEqual([])
  })
})

test('a document has an end', async () => {
  const place = sqlitePlace()
  await using client = await openClient(place)
  const put = (content: string) => client.call('PUT', '/v1/memory/persona', { content })
  expect((await put('x'.repeat(399_999))).status).toBe(201)
  expect(await put('x'.repeat(400_001))).toMatchObject({
    status: 422,
    json: { error: { message: expect.stringContaining('at most 400000 characters') } },
  })
  await place.remove()
})

test('the whole of a document may be taken away', async () => {
  const place = sqlitePlace()
  await using client = await openClient(place)
  await client.call('PUT', '/v1/memory/persona', { content: 'I am Bo.' })
  expect(await client.call('PUT', '/v1/memory/persona', { content: '' })).toMatchObject({
    status: 200,
    json: { version: 2, content: '', sections: [] },
  })
  await place.remove()
})

describe('in a context', () => {
  const tools = [
    { type: 'function', function: { name: 'write_chat_memory' } },
    { type: 'function', function: { name: 'search' } },
  ]

  test('memory shows to those who may see it, and the report counts it', async () => {
    const place = sqlitePlace()
    await using client = await openClient(place)
    const chat = '/v1/sessions/private:7'
    const group = '/v1/sessions/group:1'
    await client.call('POST', `${chat}/messages`, { ...message, kind: 'private', user: 'u-7', scope: 'p-1' })
    await client.call('POST', `${group}/messages`, { ...message, kind: 'group', scope: 'p-1' })
    // What holds at creation holds.
    expect((await client.call('POST', `${group}/messages`, { ...message, kind: 'private' })).status).toBe(409)
    expect((await client.call('POST', `${group}/messages`, { ...message, user: 'u-7' })).status).toBe(201)
    expect((await client.call('GET', group)).json).toMatchObject({ kind: 'group', user: null, scope: 'p-1' })
    const today = new Date().toISOString().slice(0, 10)
    for (const [layer, key, content] of [
      ['persona', 'default', 'You are Bo the harbour master.'],
      ['global', 'default', 'The office is in Porto.'],
      ['user', 'u-7', 'Ann likes lemons.'],
      ['scope', 'p-1', 'The project is a boat.'],
      ['chat', 'private:7', 'We ship on Fridays.'],
      ['daily', `${today}/private:7`, '- They spoke of the weather.'],
    ] as const)
      expect((await client.call('PUT', pathOf(layer, key), { content })).status).toBe(201)

    const { json } = await client.call('POST', `${chat}/context`, { instructions: 'Be brief.', tools })
    const said = [
      'Be brief.',
      'harbour master',
      'Porto',
      'write_chat_memory:',
      'lemons',
      'boat',
      'Fridays',
      'weather',
    ]
    const places = said.map(words => json.instructions.indexOf(words))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    const blocks = Object.fromEntries(
      json.report.blocks.map(({ name, tokens }: { name: string; tokens: number }) => [name, tokens]),
    )
    for (const name of [
      ...['instructions', 'persona', 'global_memory', 'guidance', 'user_memory'],
      ...['scope_memory', 'chat_memory', 'daily_log', 'tools', 'current'],
    ])
      expect(blocks[name]).toBeGreaterThan(0)
    const sum = Object.values<number>(blocks).reduce((total, tokens) => total + tokens, 0)
    expect(json.report.tokens).toBe(sum)

    const inGroup = (await client.call('POST', `${group}/context`, {})).json
    expect(inGroup.instructions).toContain('boat')
    expect(JSON.stringify(inGroup)).not.toMatch(/lemons|Fridays|weather|write_chat_memory/)

    await client.call('PATCH', '/v1/memory/global', { append: '- The office moved to Faro.' })
    const later = (await client.call('POST', `${chat}/context`, { instructions: 'Be brief.', tools })).json
    expect(later.instructions).toBe(json.instructions)
    expect(JSON.stringify(later.messages)).toContain('Faro')
    expect(later.report.blocks).toContainEqual({ name: 'recent_changes', tokens: expect.any(Number) })
    await place.remove()
  })

  test('a budget that is changed holds from the next write on', async () => {
    const place = sqlitePlace()
    await using client = await openClient(place)
    await client.call('POST', '/v1/sessions/s/messages', { messages: talk(2) })
    const lines = Array.from({ length: 40 }, (_, index) => {
      const day = `2026-01-${String((index % 28) + 1).padStart(2, '0')}`
      return `- ${day}: they spoke of lemons for Porto, number ${index}`
    })
    const content = `## History\n\n${lines.join('\n')}\n`
    const whole = await client.call('PUT', pathOf('chat', 's'), { content })
    expect(whole.json).toMatchObject({ content, budget: 1_200, version: 1 })
    await client.call('PUT', '/v1/settings', { chatMemoryTokens: 200 })
    const { json } = await client.call('PATCH', pathOf('chat', 's'), { append: '- 2026-02-01: and more' })
    expect(json).toMatchObject({ budget: 200, version: 3 })
    expect(json.tokens).toBeLessThanOrEqual(200)
    expect((await client.call('GET', '/v1/memory')).json.documents).toMatchObject([{ budget: 200 }])
    await place.remove()
  })
})
