import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, test } from 'vitest'
import { postgresUrl } from '../postgres/url.ts'
import { talk } from '../server/client.ts'
import { MAIN, run, temporaryFolder } from './run.ts'

const folder = temporaryFolder()
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  folder.remove()
})

interface Running {
  readonly url: string
  readonly announced: { readonly url: string; readonly host: string; readonly port: number }
  readonly stderr: () => string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  call(method: string, path: string, body?: unknown): Promise<{ status: number; json: any }>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** A server as a person starts it, on a free port. */
async function serve(args: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--json', ...args], {
    cwd: folder.path,
    env: { ...process.env, ...env },
  })
  children.add(child)
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line') as Promise<[string]>,
    exited.then(([code]) => Promise.reject(new Error(`it ended with ${code}: ${stderr}`))),
  ])
  const announced = JSON.parse(line)
  if (announced.error) throw new Error(`it ended with ${(await exited)[0]}: ${announced.error.message}`)
  return {
    url: announced.url,
    announced,
    stderr: () => stderr,
    call: async (method, path, body) => {
      const response = await fetch(`${announced.url}${path}`, {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      })
      return { status: response.status, json: await response.json() }
    },
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      const [code] = await exited
      children.delete(child)
      return code
    },
  }
}

describe('palimpsest serve', () => {
  test('serves, stops in order, and finds everything again', async () => {
    const first = await serve(['--db', 'serve.db'], { PALIMPSEST_THRESHOLD: '50' })
    expect(first.announced).toMatchObject({ host: '127.0.0.1', port: expect.any(Number), store: 'serve.db' })
    const session = '/v1/sessions/telegram%3A42%2F%E4%B8%AD%E6%96%87'
    expect((await first.call('POST', `${session}/messages`, { messages: talk(30) })).status).toBe(201)
    const settings = { policy: 'count', keepLast: 4 }
    expect(await first.call('PUT', '/v1/settings', settings)).toMatchObject({
      status: 200,
      json: { settings: { policy: 'count', threshold: 50 }, sources: { threshold: 'environment' } },
    })
    expect((await first.call('POST', `${session}/compact`, { force: true })).json).toMatchObject({
      outcome: 'applied',
      toSeq: 26,
    })
    expect(
      (await first.call('POST', `${session}/context`, { instructions: 'Be brief.' })).json,
    ).toMatchObject({
      instructions: expect.stringContaining('Be brief.'),
      report: { tokens: expect.any(Number) },
    })
    // Under way when the signal comes.
    const late = Array.from({ length: 20 }, (_, index) =>
      first.call('POST', `${session}/messages`, { role: 'user', text: `late ${index}` }),
    )
    await late[0]
    const stopped = first.stop()
    const answered = (await Promise.allSettled(late)).filter(
      ({ status, ...rest }) =>
        status === 'fulfilled' && (rest as { value: { status: number } }).value.status === 201,
    )
    expect(await stopped).toBe(0)
    expect(first.stderr()).toBe('')

    const second = await serve(['--db', 'serve.db'])
    const { json } = await second.call('GET', session)
    expect(json).toMatchObject({ id: 'telegram:42/中文', compactedThrough: 26 })
    expect(json.messages).toBeGreaterThanOrEqual(30 + answered.length)
    expect((await second.call('GET', '/v1/settings')).json).toMatchObject({
      settings: { policy: 'count', keepLast: 4, threshold: 20 },
      sources: { policy: 'stored', threshold: 'default' },
    })
    expect(await second.stop('SIGINT')).toBe(0)
  })

  test('fifty connections at once', async () => {
    const server = await serve(['--db', 'crowd.db'])
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        server.call('POST', '/v1/sessions/crowd/messages', {
          role: 'user',
          text: `no ${index % 25}`,
          externalId: `m-${index % 25}`,
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(25)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(25)
    expect((await server.call('GET', '/v1/sessions/crowd')).json.messages).toBe(25)
    expect(await server.stop()).toBe(0)
  })

  test('over PostgreSQL', async () => {
    const url = postgresUrl()
    const name = `serve_${process.pid}_${Date.now()}`
    const { default: pg } = await import('pg')
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`CREATE DATABASE ${name}`)
    const server = await serve([], { PALIMPSEST_STORE: postgresUrl(name) })
    expect((await server.call('POST', '/v1/sessions/s/messages', { role: 'user', text: 'x' })).status).toBe(
      201,
    )
    expect((await server.call('PUT', '/v1/settings', { policy: 'rounds' })).status).toBe(200)
    expect(await server.stop()).toBe(0)
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  })

  test('a port that is taken is a clear error', async () => {
    const server = await serve(['--db', 'port.db'])
    const { port } = server.announced
    const ran = await run(['serve', '--port', String(port), '--db', 'other.db', '--json'], {
      cwd: folder.path,
    })
    expect(ran.code).toBe(69)
    expect(JSON.parse(ran.stdout)).toMatchObject({
      error: { code: 'address_unavailable', details: { port } },
    })
    expect(ran.stderr).toContain('another program listens there')
    await server.stop()
  })

  test.each([
    [['--port', '70000'], 78, '--port: "70000" cannot be taken'],
    [['--store', 'mysql://x'], 78, '--store: "mysql://x" cannot be taken'],
    [['--db', '/'], 69, 'cannot be opened'],
    [['--port', '0', '--host', 'no.such.host.invalid'], 78, 'palimpsest keys create'],
    [['--colour'], 64, '--colour'],
  ])('%j is a clear error', async (args, code, message) => {
    const ran = await run(['serve', ...args], { cwd: folder.path })
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })

  test('an environment that is wrong is refused by its own names', async () => {
    const env = { PALIMPSEST_FULL_CONTEXT_TURNS: 'four', PALIMPSEST_POLICY: 'round' }
    const error = await serve(['--db', 'env.db'], env).catch(error => error)
    expect(error.message).toContain('it ended with 78')
    for (const name of Object.keys(env)) expect(error.message).toContain(name)
  })

  test('a stored model whose address is gone is left out, with a warning', async () => {
    const url = 'http://127.0.0.1:1/v1'
    const first = await serve(['--db', 'gone.db'], { PALIMPSEST_MODEL_BASE_URL: url })
    const put = await first.call('PUT', '/v1/settings', { model: 'openai-compatible:x' })
    expect(put.status).toBe(200)
    await first.stop()
    const second = await serve(['--db', 'gone.db'])
    expect((await second.call('GET', '/v1/settings')).json.settings.model).toBeNull()
    expect(second.stderr()).toContain('warning: The stored setting model is not used')
    expect(await second.stop()).toBe(0)
  })

  test('a second signal ends it at once, whoever still sends', async () => {
    const server = await serve(['--db', 'second.db'])
    const { port } = server.announced
    const headers = { 'content-type': 'application/json', 'content-length': '100' }
    const slow = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/v1/sessions/s/messages',
      headers,
    })
    slow.on('error', () => {})
    slow.write('{"role":')
    await server.call('GET', '/healthz')
    const started = performance.now()
    const stopped = server.stop()
    await expect
      .poll(() =>
        server
          .call('GET', '/healthz')
          .then(() => 'listens')
          .catch(() => 'closed'),
      )
      .toBe('closed')
    void server.stop()
    await stopped
    expect(performance.now() - started).toBeLessThan(30_000)
    slow.destroy()
  })

  test('keeps the memory as files in a workspace', async () => {
    const workspace = join(folder.path, 'workspace')
    const server = await serve(['--db', 'files.db'], { PALIMPSEST_WORKSPACE: join(folder.path, 'other') })
    await server.stop()
    const again = await serve(['--db', 'files2.db', '--workspace', workspace])
    expect((await again.call('PUT', '/v1/memory/persona', { content: 'I am Bo.' })).status).toBe(201)
    expect(await again.call('PUT', '/v1/settings', { workspace: 'x' })).toMatchObject({
      status: 422,
      json: { error: { message: expect.stringContaining('PALIMPSEST_WORKSPACE') } },
    })
    expect(await again.stop()).toBe(0)
    expect(readFileSync(join(workspace, 'SOUL.md'), 'utf8')).toContain('I am Bo.')
    expect(existsSync(join(folder.path, 'other'))).toBe(true)
    // A folder belongs to one database's memory, or to nobody's.
    const file = folder.file('no-folder', 'x')
    expect(
      await run(['serve', '--port', '0', '--db', 'files3.db', '--workspace', file], { cwd: folder.path }),
    ).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining('no-folder') })
  })

  test('beyond this machine it starts once there is a key', async () => {
    const db = ['--db', 'open.db']
    const refused = await run(['serve', ...db, '--port', '0', '--host', '0.0.0.0'], { cwd: folder.path })
    expect(refused).toMatchObject({ code: 78, stdout: '' })
    expect(refused.stderr).toContain('there is no key that would keep them out')
    const { stdout: key } = await run(['keys', 'create', 'bot', ...db], { cwd: folder.path })
    const server = await serve([...db, '--host', '0.0.0.0'])
    const sessions = new URL('/v1/sessions', server.url.replace('0.0.0.0', '127.0.0.1'))
    const authorization = `Bearer ${key.trim()}`
    expect((await fetch(sessions)).status).toBe(401)
    expect((await fetch(sessions, { headers: { authorization } })).status).toBe(200)
    await server.stop()
  })

  test('no other command loads the server', async () => {
    const hook = folder.file(
      'loaded.mjs',
      `import { registerHooks } from 'node:module'
       const loaded = []
       registerHooks({ resolve(name, context, next) { if (/hono|zod|^ai$/.test(name)) loaded.push(name); return next(name, context) } })
       process.on('exit', () => process.stderr.write(JSON.stringify(loaded)))`,
    )
    const child = spawn(process.execPath, ['--import', hook, MAIN, 'replay', '--help'])
    let stderr = ''
    child.stderr.on('data', chunk => {
      stderr += chunk
    })
    await once(child, 'close')
    expect(stderr).toBe('[]')
  })

  test('no other command, and no help, loads what others run', async () => {
    const hook = folder.file(
      'engine.mjs',
      `import { registerHooks } from 'node:module'
       const loaded = []
       registerHooks({ resolve(name, context, next) { if (/run-replay|run-memory|edit-memory|memory\\/workspace|fold-session|read-transcripts|report\\/page/.test(name)) loaded.push(name); return next(name, context) } })
       process.on('exit', () => process.stderr.write(JSON.stringify(loaded)))`,
    )
    for (const args of [['--version'], ['replay', '--help'], ['memory', 'edit', '--help']]) {
      const child = spawn(process.execPath, ['--import', hook, MAIN, ...args])
      let stderr = ''
      child.stderr.on('data', chunk => {
        stderr += chunk
      })
      await once(child, 'close')
      expect(stderr).toBe('[]')
    }
  })
})
