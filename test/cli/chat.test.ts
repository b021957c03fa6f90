import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../packages/cli/src/program.ts'
import { contentText } from '../../packages/palimpsest/src/log/index.ts'
import { createPalimpsest, type Palimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { type ModelScript, startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { type Folder, type Ran, run, temporaryFolder } from './run.ts'

let folder: Folder
let db: string
beforeEach(() => {
  folder = temporaryFolder()
  db = join(folder.path, 'chat.db')
})
afterEach(() => {
  vi.unstubAllEnvs()
  folder.remove()
})

const NO_MODEL = /No model is set up here/

/** As `echo … | palimpsest chat`, in this process. */
async function piped(lines: string, ...flags: readonly string[]): Promise<Ran> {
  const input = new PassThrough()
  const [output, error] = [screen(), screen()]
  const ended = main(['chat', '--db', db, ...flags], { input, output, error })
  input.end(lines)
  return { code: await ended, stdout: output.shown(), stderr: error.shown() }
}

const jsonLines = ({ stdout }: Ran) =>
  stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

function screen(columns?: number) {
  let text = ''
  const stream = new PassThrough()
  stream.on('data', chunk => {
    text += chunk
  })
  const { getColorDepth } = WriteStream.prototype
  return Object.assign(stream, { shown: () => text, ...(columns && { isTTY: true, columns, getColorDepth }) })
}

async function inDatabase<Result>(look: (palimpsest: Palimpsest) => Promise<Result>): Promise<Result> {
  await using palimpsest = await createPalimpsest({ store: sqlite(db), folding: 'manual', indexing: 'off' })
  return await look(palimpsest)
}

/** As a process leaves it that ended before it answered. */
function leaveUnanswered(content: string): Promise<unknown> {
  return inDatabase(palimpsest => {
    const address = { channel: 'terminal', chat: 'local', trigger: 'private', via: 'terminal' }
    const sender = { id: 'terminal:local' }
    return palimpsest
      .session('terminal:local')
      .append({ role: 'user', content, sender, externalId: 'x' }, { awaits: { burst: '', address } })
  })
}

describe('as a process of its own, with a pipe', () => {
  test('replies and nothing else, through restarts, in any script', async () => {
    const stdin = 'My dog is called Rex\r\n\n我的猫叫咪咪 😀\nthe last line has no end'
    const first = await run(['chat', '--db', db], { stdin })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^Kept\. No model/),
      '已保存。',
      'Kept.',
    ])
    const second = await run(['chat', '--db', db], { stdin: "What is my dog's name?\n我的猫叫什么名字？" })
    expect(second.code).toBe(0)
    expect(second.stdout).toMatch(/^- you, \S+: “My dog is called Rex”$/m)
    expect(second.stdout).toMatch(/^- 你（\S+）：「我的猫叫咪咪 😀」$/m)
  })

  test('no line is lost while what was left is answered first', async () => {
    await leaveUnanswered('My dog is called Rex')
    const { code, stdout } = await run(['chat', '--db', db], { stdin: "What is my dog's name?\n" })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Kept\..*\nNo model.*\n- you, \S+: “My dog is called Rex”$/m)
  })

  test('the environment names the database, unless a flag does', async () => {
    const env = { PALIMPSEST_DB: db }
    await run(['chat'], { stdin: 'Hello\n', env, cwd: folder.path })
    expect(await inDatabase(palimpsest => palimpsest.session('terminal:local').count())).toBe(2)
    const other = join(folder.path, 'other.db')
    await run(['chat', '--db', other], {
      stdin: 'Hello\n',
      env: { ...env, PALIMPSEST_STORE: 'postgres://x/y' },
    })
    expect(existsSync(other)).toBe(true)
    expect(existsSync(join(folder.path, 'palimpsest.db'))).toBe(false)
  })

  test('SIGTERM ends it in order', async () => {
    const server = await startModelServer({ reply: { fault: 'hang' } })
    let isTold = false
    const env = { PALIMPSEST_MODEL: 'openai-compatible:m', PALIMPSEST_MODEL_BASE_URL: server.url }
    // A setting that nobody knows makes it say something once it runs.
    const ran = await run(['chat', '--db', db], {
      stdin: 'Hello\n',
      env: { ...env, PALIMPSEST_NO_SUCH_SETTING: '1' },
      onStderr: async child => {
        if (isTold) return
        isTold = true
        await vi.waitFor(() => expect(server.requests.length).toBe(1), { timeout: 20_000 })
        child.kill('SIGTERM')
      },
    })
    await server.close()
    expect(ran.code).toBe(0)
    // It is answered by the next start.
    expect((await run(['chat', '--db', db], { stdin: '' })).stdout).toMatch(/^Kept\. No model/)
  })
})

describe('commands', () => {
  test('what the model would see, and what was folded of it', async () => {
    vi.stubEnv('PALIMPSEST_POLICY', 'rounds')
    const said = Array.from({ length: 12 }, (_, turn) => `Fact ${turn}: the sky over town ${turn} is blue.`)
    const { stdout, code } = await piped(`${said.join('\n')}\n/compact the sky\n/context\n`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Folded messages \d+–\d+: [\d,]+ tokens became [\d,]+\./m)
    expect(stdout).toMatch(/^session memory\s+\d+\s+\d+\.\d%$/m)
    expect(stdout).toMatch(/^budget: [\d,]+ tokens, [\d,]+ of them free$/m)
    expect(stdout).toMatch(/^messages: 24, \d+ as they were said and \d+ folded into \d segments?$/m)
    const asked = await piped('Over which town is the sky of fact 0?')
    expect(asked.stdout).toContain('Fact 0: the sky over town 0')
  })

  test('in an empty chat each says that it is', async () => {
    const { stdout } = await piped('/context\n/compact\n/memory\n/undo\n/new\n/search dog\n')
    expect(stdout).toMatch(/Nothing yet.*nothing to fold.*Nothing is remembered.*nothing to take back/s)
    expect(stdout).toMatch(/at its beginning already.*Nothing was found/s)
  })

  test('too little to fold is no failure', async () => {
    const { stdout } = await piped('Hello\n/compact\n')
    expect(stdout).toMatch(/Nothing was folded: what there is belongs to the end/)
  })

  test('/undo takes back a turn, and deletes nothing', async () => {
    const { stdout } = await piped(
      'The key is under the mat\nThe key is at the bank\n/undo\nWhere is the key?\n',
    )
    expect(stdout).toMatch(/^Taken back:\n {2}> The key is at the bank\n {4}Kept\./m)
    expect(stdout).toMatch(/: “The key is under the mat”\n$/)
    expect(stdout).not.toContain('“The key is at the bank”')
    const messages = await inDatabase(palimpsest => palimpsest.session('terminal:local').messages())
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 5, 6])
  })

  test('/new begins anew and unlearns nothing; /undo takes it back', async () => {
    await piped('The key is under the mat\n', '--user', 'ann')
    await inDatabase(async palimpsest => {
      await palimpsest.memory.user('ann').append('- Likes tea.')
      await palimpsest.memory.chat('terminal:local').append('- we meet at noon')
    })
    const [begun, again] = jsonLines(await piped('/new\n/new\n', '--json'))
    expect(begun).toMatchObject({ type: 'command', command: 'new', messages: 2, beginsAfter: 2 })
    expect(again).toMatchObject({ beginsAfter: null })
    await inDatabase(async palimpsest => {
      const { messages, instructions } = await palimpsest.session('terminal:local').context()
      expect(messages).toEqual([])
      expect(instructions).toMatch(/Likes tea.*we meet at noon/s)
    })
    const { stdout } = await piped('/search key\n/undo\n')
    expect(stdout).toMatch(/The key is under the mat.*The new beginning is taken back/s)
    const shown = await inDatabase(async palimpsest => palimpsest.session('terminal:local').context())
    expect(JSON.stringify(shown.messages)).toContain('under the mat')
  })

  test('/memory shows the documents of this chat and of this person', async () => {
    await piped('Hello\n', '--user', 'ann')
    await inDatabase(async palimpsest => {
      await palimpsest.memory.user('ann').append('Likes tea.\u001b[2J', { section: 'Profile' })
      await palimpsest.memory.chat('terminal:local').append('- we meet at noon')
      await palimpsest.memory.global.append('The shop opens at nine.')
    })
    const { stdout } = await piped('/memory\n')
    expect(stdout).toMatch(/user memory of "ann".*Likes tea\.\\u\{1b\}.*chat memory.*we meet at noon/s)
    expect(stdout).not.toContain('The shop')
    expect((await piped('/memory global\n')).stdout).toContain('The shop opens at nine.')
    expect((await piped('/memory persona\n')).stdout).toContain('no persona memory')
    expect((await piped('/memory attic\n')).stderr).toContain(
      'allowed: persona, global, user, scope, chat, daily',
    )
  })

  test('/search finds, and what was typed wrong is named', async () => {
    const { stdout, stderr, code } = await piped(
      'The key is under the mat\n/search key\n/search\n/serch key\n',
    )
    expect(stdout).toMatch(/^terminal:local\/1 {2}you .*\n {2}> The key is under the mat$/m)
    expect(stderr).toMatch(/\/search.*words to find/)
    expect(stderr).toMatch(/no command \/serch\. Did you mean \/search\?/)
    expect(code).toBe(64)
  })

  test('/search shows nothing of what only repeats what was said', async () => {
    const { stdout } = await piped('The key is under the mat\nThe lamp is red\n/search lamp\n')
    expect(stdout).toMatch(/^ {2}> The lamp is red$/m)
    expect(stdout).not.toContain('assistant:')
  })

  test('/undo in a group takes back only what is one’s own', async () => {
    const inGroup = (sender: string, content: string) =>
      inDatabase(palimpsest =>
        palimpsest
          .session('telegram:-1', { kind: 'group' })
          .append({ role: 'user', content, sender: { id: sender } }),
      )
    const flags = ['--session', 'telegram:-1', '--user', 'ann']
    await inGroup('bob', 'We meet at noon')
    expect((await piped('/undo\n', ...flags)).stdout).toMatch(/nothing to take back/)
    await inGroup('ann', 'I come later')
    await inGroup('bob', 'Bring cake')
    expect((await piped('/undo\n', ...flags)).stdout).toMatch(/^Nothing was taken back: others have spoken/)
    const { stdout } = await piped('Which cake?\n/undo\n', ...flags)
    expect(stdout).toMatch(/Taken back:\n {2}> Which cake\?/)
    const messages = await inDatabase(palimpsest => palimpsest.session('telegram:-1').messages())
    expect(messages.map(({ content }) => content)).toEqual(['We meet at noon', 'I come later', 'Bring cake'])
  })

  test('a line that begins with // is a message; /exit leaves the rest unread', async () => {
    await piped('//etc is a folder\n/exit\nnever said\n')
    const messages = await inDatabase(palimpsest => palimpsest.session('terminal:local').messages())
    expect(messages.map(({ content }) => contentText(content))).toEqual([
      '/etc is a folder',
      expect.stringMatching(NO_MODEL),
    ])
  })
})

test('with --json each line is an object', async () => {
  const ran = await piped('My dog is called Rex\n/context\n/nope\n/help\n', '--json')
  expect(jsonLines(ran)).toMatchObject([
    { type: 'reply', outcome: 'delivered', answers: [1], text: expect.stringMatching(NO_MODEL) },
    { type: 'command', command: 'context', messages: 2, report: { budget: 16_000 } },
    { type: 'error', error: { message: expect.stringContaining('no command /nope') } },
    { type: 'command', command: 'help' },
    { error: { code: 'invalid_argument' } },
  ])
  expect(ran.code).toBe(64)
})

test.each([
  [['--session', 'work'], /channel:chat/],
  [['--user', ''], /--user/],
])('%j is refused with what is allowed', async (flags, allowed) => {
  const { code, stderr } = await piped('', ...flags)
  expect(code).not.toBe(0)
  expect(stderr).toMatch(allowed)
})

test("another person's chat is refused before anything is said; one without a person becomes theirs", async () => {
  await inDatabase(async palimpsest => {
    await palimpsest.session('terminal:hers', { user: 'ann' }).append({ role: 'user', content: 'secret' })
    await palimpsest.session('terminal:old').append({ role: 'user', content: 'from before' })
    await palimpsest.session('terminal:agent', { kind: 'agent' }).append({ role: 'user', content: 'x' })
  })
  const refused = await piped('hello\n', '--session', 'terminal:hers', '--user', 'bob')
  expect(refused.code).toBe(65)
  expect(refused.stderr).toContain('its user is "ann", not "bob"')
  expect((await piped('hello\n', '--session', 'terminal:old', '--user', 'bob')).code).toBe(0)
  expect(await piped('hello\n', '--session', 'terminal:agent')).toMatchObject({ code: 0, stderr: '' })
  await inDatabase(async palimpsest => {
    expect(await palimpsest.session('terminal:hers').count()).toBe(1)
    expect(await palimpsest.session('terminal:old').info()).toMatchObject({ user: 'bob', kind: 'private' })
    expect(await palimpsest.session('terminal:agent').info()).toMatchObject({ kind: 'agent' })
  })
})

test('chats of other names and people are apart', async () => {
  await piped('The key is under the mat\n', '--session', 'terminal:home', '--user', 'ann')
  expect((await piped('Where is the key?\n')).stdout).toMatch(/^I found nothing/)
  expect((await piped('Where is the key?\n', '--session', 'terminal:home')).stdout).toContain('- you, ')
  const info = await inDatabase(palimpsest => palimpsest.session('terminal:home').info())
  expect(info).toMatchObject({ user: 'ann', kind: 'private' })
})

describe('with a model', () => {
  async function withModel(reply: ModelScript) {
    const server = await startModelServer({ reply })
    vi.stubEnv('PALIMPSEST_MODEL', 'openai-compatible:scripted')
    vi.stubEnv('PALIMPSEST_MODEL_BASE_URL', server.url)
    return server
  }

  test('it answers, and sees what was said before', async () => {
    await using server = await withModel(({ said }) => `You said: ${said.at(-1)!.text}`)
    expect((await piped('Hello\nAnd again\n')).stdout).toBe('You said: Hello\nYou said: And again\n')
    expect(server.requests[1]!.said.filter(({ role }) => role === 'user')).toHaveLength(2)
  })

  test('whoever sits here is an owner: what they share goes to everybody', async () => {
    await using server = await withModel(({ said }) =>
      said.at(-1)!.role === 'tool'
        ? 'Noted.'
        : { toolCalls: [{ name: 'write_memory', arguments: { content: 'We sell bicycles in Delft' } }] },
    )
    expect((await piped('Tell all\n')).stdout).toBe('Noted.\n')
    expect(server.requests[0]!.tools.map(({ name }) => name)).toContain('write_memory')
    expect((await inDatabase(({ memory }) => memory.global.read()))?.content).toContain('bicycles')
  })

  test('one that refuses is named in one line; the chat goes on and the message is kept', async () => {
    await using _ = await withModel(({ said }) =>
      said.at(-1)!.text.includes('again') ? 'Now I do.' : { status: 401 },
    )
    const ran = await piped('Hello\nonce again\n', '--json')
    const [failed, answered, ended] = jsonLines(ran)
    expect(ran.code).toBe(78)
    expect(ended).toMatchObject({ error: { code: 'invalid_settings' } })
    expect(failed).toMatchObject({ outcome: 'failed', text: null })
    expect(failed.error.message).toMatch(/refused the key.*PALIMPSEST_MODEL_API_KEY.*Your message is kept\.$/)
    expect(answered).toMatchObject({ outcome: 'delivered', text: 'Now I do.' })
    const messages = await inDatabase(palimpsest => palimpsest.session('terminal:local').messages())
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant'])
  })

  test('one that cannot be reached gives an exit code', async () => {
    const server = await withModel('Hello')
    await server.close()
    const { code, stderr } = await piped('Hello\n')
    expect(code).toBe(69)
    expect(stderr).toMatch(/cannot be reached \(ECONNREFUSED\)\. Trying again …\n/)
    expect(stderr).toMatch(/check PALIMPSEST_MODEL_BASE_URL, and that it runs\. Your message is kept\.\n/)
  })

  test('at the start, too, a reply can be stopped, and one can leave', async () => {
    await using server = await withModel({ text: 'The tide turns. '.repeat(90), fault: 'stall' })
    await leaveUnanswered('Go on')
    const first = seat()
    await first.until('The tide turns.')
    expect(await first.leave()).toBe(0)
    expect(first.shown()).toMatch(/The tide turns\.\n$/)
    const second = seat()
    await second.until('The tide turns.')
    second.type('\u0003')
    await second.until('(stopped; it is kept as far as it came)')
    await second.until('> ')
    expect(await second.leave()).toBe(0)
    expect(server.requests).toHaveLength(2)
  })

  test('Ctrl-C stops the reply and not the program', async () => {
    await using _ = await withModel(({ said }) =>
      said.at(-1)!.text.includes('long') ? { text: 'The tide turns. '.repeat(90), fault: 'stall' } : 'Short.',
    )
    const { type, until, leave } = seat()
    await until('> ')
    type('a long one\r')
    await until('The tide turns.')
    type('typed meanwhile\r')
    type('\u0003')
    await until('(stopped; it is kept as far as it came)')
    await until('> typed meanwhile')
    await until('Short.')
    expect(await leave()).toBe(0)
    const messages = await inDatabase(palimpsest => palimpsest.session('terminal:local').messages())
    expect(messages.map(({ role }) => role).sort()).toEqual(['assistant', 'assistant', 'user', 'user'])
    expect(JSON.stringify(messages)).toContain('"interrupted":"aborted"')
  })
})

/** Somebody before a screen, who waits for what appears on it. */
function seat(...flags: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const [output, error] = [screen(100), screen(100)]
  const ended = main(['chat', '--db', db, ...flags], { input, output, error })
  let read = 0
  /** What is new on the screen, up to and with this. */
  const until = async (text: string) => {
    for (;;) {
      const shown = stripVTControlCharacters(output.shown())
      const found = shown.indexOf(text, read)
      if (found >= 0) {
        read = found + text.length
        return
      }
      await Promise.race([
        once(output, 'data'),
        ended.then(code => Promise.reject(new Error(`ended: ${code}`))),
      ])
    }
  }
  const leave = () => {
    input.write('\u0004')
    return ended
  }
  const shown = () => stripVTControlCharacters(output.shown())
  return { type: (text: string) => input.write(text), until, leave, ended, shown, raw: () => output.shown() }
}

describe('at a screen', () => {
  test('a greeting, a prompt, replies, and what was typed before a restart', async () => {
    const first = seat()
    await first.until('A new chat. /help lists the commands.')
    await first.until('No model is set')
    await first.until('> ')
    first.type('My dog is called Rex\r')
    await first.until('Kept. ')
    await first.until('\n\n> ')
    first.type('/exit\r')
    expect(await first.ended).toBe(0)

    const second = seat()
    await second.until('2 messages so far.')
    await second.until('> ')
    second.type('\u001b[A')
    await second.until('My dog is called Rex')
    second.type('\u0003')
    second.type("What is my dog's name?\r")
    await second.until('“My dog is called Rex”')
    expect(await second.leave()).toBe(0)
  })

  test('of what was said before, only one’s own can be brought back, and no escape sequence', async () => {
    await inDatabase(palimpsest => {
      const session = palimpsest.session('telegram:-1', { kind: 'group' })
      return session.append([
        { role: 'user', content: 'mine \u001b]0;OWNED\u0007\u001b[2J\u202eend', sender: { id: 'ann' } },
        { role: 'user', content: 'not mine \u001b[2J', sender: { id: 'mallory' } },
      ])
    })
    const { type, until, leave, raw } = seat('--session', 'telegram:-1', '--user', 'ann')
    await until('> ')
    type('\u001b[A')
    await until('mine ]0;OWNED[2Jend')
    type('\u0003')
    await leave()
    expect(raw()).not.toContain('not mine')
    expect(raw()).not.toContain('\u202e')
    expect(raw()).not.toContain('\u001b[2J')
    expect(raw()).not.toContain('\u001b]')
  })

  test('pasted lines are one message', async () => {
    const { type, until, leave } = seat()
    await until('> ')
    type('first line\r\n第二行\nthird line 😀\n')
    await until('Kept. ')
    await until('> ')
    await leave()
    const messages = await inDatabase(palimpsest => palimpsest.session('terminal:local').messages())
    expect(messages[0]!.content).toBe('first line\n第二行\nthird line 😀')
    expect(messages).toHaveLength(2)
  })

  test('Ctrl-C at an empty prompt says how to leave, and a second one leaves', async () => {
    const { type, until, ended, shown } = seat()
    await until('> ')
    type('half a line\u0003')
    await until('half a line')
    type('\u0003')
    await until('(Ctrl-D or /exit to leave)')
    await until('> ')
    type('/help\r')
    await until('/undo')
    await until('> ')
    type('\u0003')
    await until('(Ctrl-D or /exit to leave)')
    type('\u0003')
    expect(await ended).toBe(0)
    expect(shown()).not.toContain('Kept')
  })

  test('styles only where they are wanted', async () => {
    vi.stubEnv('FORCE_COLOR', undefined)
    vi.stubEnv('NO_COLOR', '1')
    const plain = seat()
    await plain.until('> ')
    await plain.leave()
    expect(plain.raw()).not.toContain('\u001b[2m')
    vi.stubEnv('NO_COLOR', undefined)
    vi.stubEnv('FORCE_COLOR', '1')
    const styled = seat()
    await styled.until('> ')
    await styled.leave()
    expect(styled.raw()).toContain('\u001b[2m')
  })

  test('what an earlier process left unanswered is answered first', async () => {
    await leaveUnanswered('Hello?')
    const { until, leave } = seat()
    await until('I found nothing')
    await until('> ')
    expect(await leave()).toBe(0)
  })
})
