import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import { MAIN, run, temporaryFolder } from './run.ts'

const folder = temporaryFolder()
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  folder.remove()
})

interface Server {
  readonly url: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  end(signal: NodeJS.Signals): Promise<void>
}

async function serve(db: string): Promise<Server> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--json', '--db', db], {
    env: { ...process.env, PALIMPSEST_POLICY: 'count', PALIMPSEST_THRESHOLD: '30' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { url } = JSON.parse(line) as { url: string }
  const exited = once(child, 'exit')
  return {
    url,
    call: (method, path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    end: async signal => {
      child.kill(signal)
      await exited
      children.delete(child)
    },
  }
}

/** Events from a position on, until there is one of a kind; with those before it. */
async function eventsUntil(
  server: Server,
  after: string | null,
  isLast: (event: string) => boolean,
): Promise<readonly string[]> {
  const ending = new AbortController()
  const response = await fetch(`${server.url}/v1/events`, {
    signal: ending.signal,
    headers: after === null ? {} : { 'last-event-id': after },
  })
  expect(response.status).toBe(200)
  const events: string[] = []
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split('\n\n')
    text = parts.pop()!
    events.push(...parts.filter(part => part.includes('data: ')))
    if (events.some(isLast)) break
  }
  ending.abort()
  return events
}

const idOf = (event: string) => /^id: (.+)$/m.exec(event)![1]!

// A server that people write to is backed up, loses somebody by an erasure, dies, and comes back elsewhere.
test('a drill: backed up under load, killed, restored elsewhere, verified', {
  timeout: 300_000,
}, async () => {
  const [here, there] = [join(folder.path, 'here'), join(folder.path, 'there')]
  for (const place of [here, there]) mkdirSync(place)
  const db = join(here, 'bot.db')
  const server = await serve(db)
  const acknowledged = new Map<string, number>()
  const ended = new Set<string>()
  const write = async (chat: string, person: string) => {
    for (let number = 1; !ended.has(chat); number++) {
      const text = `Note ${number} of ${person} about the lighthouse 灯塔`
      const body = { role: 'user', text, sender: { id: person }, externalId: `m${number}` }
      const answer = await server
        .call('POST', `/v1/sessions/${chat}/messages`, { kind: 'private', user: person, ...body })
        .catch(() => null)
      if (answer?.status !== 201) return
      acknowledged.set(chat, number)
    }
  }
  const chats = ['ann', 'bob', 'kim', 'mallory']
  const writing = new Map(chats.map(person => [person, write(`chat-${person}`, person)]))
  await expect
    .poll(() => Math.min(...chats.map(chat => acknowledged.get(`chat-${chat}`) ?? 0)))
    .toBeGreaterThan(40)

  const before = new Map(acknowledged)
  const backup = join(folder.path, 'backup.db')
  const backedUp = await run(['backup', backup, '--db', db, '--json'])
  expect(backedUp).toMatchObject({ code: 0 })
  expect(JSON.parse(backedUp.stdout)).toMatchObject({ sessions: 4, generation: 1 })

  // A consumer goes on reading, beyond the backup.
  const seen = await eventsUntil(server, null, event => event.includes('message-appended'))
  const position = idOf(seen.at(-1)!)
  // One person is erased after the backup, while the others go on, also when the server is killed.
  ended.add('chat-mallory')
  await writing.get('mallory')
  expect((await server.call('DELETE', '/v1/users/mallory')).status).toBe(202)
  await expect
    .poll(
      async () =>
        existsSync(`${db}.erased`) && readFileSync(`${db}.erased`, 'utf8').trim().split('\n').length,
    )
    .toBeGreaterThan(0)
  const atKill = acknowledged.get('chat-ann')!
  await expect.poll(() => acknowledged.get('chat-ann')).toBeGreaterThan(atKill)
  await server.end('SIGKILL')
  await Promise.all(writing.values())
  expect(readFileSync(backup).includes('Note 1 of mallory')).toBe(true)

  // Elsewhere, with the list of what was erased.
  const restored = join(there, 'bot.db')
  const refused = await run(['restore', backup, '--db', restored])
  expect(refused).toMatchObject({ code: 66, stderr: expect.stringContaining('--erased-list') })
  const ran = await run(['restore', backup, '--db', restored, '--erased-list', `${db}.erased`, '--json'])
  expect(ran).toMatchObject({ code: 0 })
  expect(JSON.parse(ran.stdout)).toMatchObject({ erased: { person: 1 }, generation: 2 })
  expect(await run(['doctor', '--db', restored, '--deep'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ok +sessions, row by row: 3 looked at/m),
  })
  // Not in any file, to the byte.
  for (const file of readdirSync(there))
    expect(readFileSync(join(there, file)).includes('mallory'), file).toBe(false)

  const again = await serve(restored)
  for (const person of ['ann', 'bob', 'kim']) {
    const info = (await (await again.call('GET', `/v1/sessions/chat-${person}`)).json()) as {
      messages: number
    }
    // All that was acknowledged before the backup began.
    expect(info.messages).toBeGreaterThanOrEqual(before.get(`chat-${person}`)!)
  }
  expect((await again.call('GET', '/v1/sessions/chat-mallory')).status).toBe(404)

  // The consumer is told once, and from there on misses and repeats nothing.
  const told = await eventsUntil(again, position, event => event.includes('begin-anew'))
  expect(told).toHaveLength(1)
  const body = { role: 'user', text: 'After the restore', externalId: 'after' }
  expect((await again.call('POST', '/v1/sessions/chat-ann/messages', body)).status).toBe(201)
  const next = await eventsUntil(again, idOf(told[0]!), event => event.includes('message-appended'))
  expect(next.filter(event => event.includes('begin-anew'))).toEqual([])
  expect(next.filter(event => event.includes('message-appended'))).toHaveLength(1)
  expect(next.every(event => idOf(event).split('~')[1] === idOf(told[0]!).split('~')[1])).toBe(true)
  await again.end('SIGTERM')
})
