import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPalimpsest, sqlite } from '../../packages/palimpsest/src/index.ts'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { findInRequests } from './check-requests.ts'
import { codeBlocks, emptyProject, type Project, packTarballs, type Tarballs } from './packed-project.ts'
import { ANSWER, conversation, countedTokens, QUESTION, scriptedAssistant } from './scripted-assistant.ts'

const root = dirname(dirname(import.meta.dirname))
/** What each example says in its `tokens({ budget })`. */
const BUDGET = 8_000

/** Between two folds: one that dies with its process is taken up again when its lease has run out, a minute later. */
const RESTART = 40

const FRAMEWORKS = {
  'ai-sdk': ['ai', '@ai-sdk/openai-compatible'],
  'openai-agents': ['@openai/agents', 'openai'],
  langchain: ['langchain', '@langchain/core', '@langchain/openai'],
  mastra: ['@mastra/core', '@ai-sdk/openai-compatible'],
}

let tarballs: Tarballs
const projects: Project[] = []
beforeAll(() => {
  tarballs = packTarballs()
})
afterAll(() => {
  for (const { remove } of [...projects, tarballs]) remove()
})

function projectWith(peers: readonly string[]): Project {
  const project = emptyProject(tarballs)
  projects.push(project)
  project.install(...peers)
  return project
}

/** The example as a process: a line in, a line out. */
class Example {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  #errors = ''

  constructor(file: string, cwd: string, url: string) {
    const env = { ...process.env, BASE_URL: url, API_KEY: 'none', OPENAI_API_KEY: 'none' }
    this.#process = spawn(process.execPath, [file], { cwd, env })
    this.#process.stderr.on('data', chunk => {
      this.#errors += chunk
    })
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
  }

  async say(text: string): Promise<string> {
    this.#process.stdin.write(`${text}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`The example ended: ${this.#errors}`)
    return value
  }

  async end(): Promise<number | null> {
    const exit = once(this.#process, 'exit')
    this.#process.stdin.end()
    const [code] = await exit
    return code
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }
}

const POLL = { timeout: 20_000 }

test('a page with useChat: streamed, stored once, shown again, and stopped where the person stops it', async () => {
  expect(codeBlocks('docs/ai-sdk.md', 'ts')).toContain(
    readFileSync(join(root, 'examples', 'use-chat.ts'), 'utf8'),
  )
  const { folder } = projectWith(FRAMEWORKS['ai-sdk'])
  copyFileSync(join(root, 'examples', 'use-chat.ts'), join(folder, 'use-chat.ts'))
  await using model = await startModelServer({ reply: scriptedAssistant })
  const env = { ...process.env, BASE_URL: model.url, PORT: '0' }
  const program = spawn(process.execPath, ['use-chat.ts'], { cwd: folder, env })
  const { value: address } = await createInterface({ input: program.stdout })[Symbol.asyncIterator]().next()
  const page = new Page(`${address}/api/chat`)
  try {
    expect(await page.say('Hello! My code word is lemon-4711.')).toMatch(/^Noted, Hello/)
    expect(await page.say(QUESTION)).toBe(ANSWER)
    // The stream may end a moment before its answer is stored.
    const stored = async () => (await (await fetch(`${address}/api/chat/page`)).json()) as UIMessage[]
    const roles = async () => (await stored()).map(({ role }) => role)
    await expect.poll(roles, POLL).toEqual(['user', 'assistant', 'user', 'assistant'])
    const shown = await stored()
    expect(shown[0]).toMatchObject({ id: page.messages[0]!.id, parts: page.messages[0]!.parts })

    model.setReply('It was lemon-4711.')
    expect(await page.regenerate()).toBe('It was lemon-4711.')
    expect(model.requests.at(-1)!.said.at(-1)).toMatchObject({ role: 'user', text: QUESTION })
    await expect
      .poll(async () => (await stored()).slice(3), POLL)
      .toMatchObject([{ parts: [{}, { text: 'It was lemon-4711.' }] }])
    expect((await stored()).slice(0, 3)).toEqual(shown.slice(0, 3))

    model.setReply({ text: 'The tide turns at noon. '.repeat(40), fault: 'stall' })
    const partial = await page.say('When does the tide turn?', { stopAfter: 40 })
    expect(partial).toMatch(/^The tide turns/)
    model.setReply(scriptedAssistant)
    await expect.poll(async () => (await stored()).at(-1)!, POLL).toMatchObject({ role: 'assistant' })
    expect(await page.say('Go on.')).toMatch(/^Noted, Go on/)
    expect(JSON.stringify(model.requests.at(-1)!.said)).toContain('[interrupted]')
  } finally {
    const exit = once(program, 'exit')
    program.kill('SIGTERM')
    await exit
  }
})

test('the examples of docs/testing.md that need the AI SDK run as they stand', () => {
  const { folder } = projectWith(['ai', '@ai-sdk/openai', '@ai-sdk/anthropic', '@ai-sdk/openai-compatible'])
  const blocks = codeBlocks('docs/testing.md', 'ts ai')
  expect(blocks.length).toBeGreaterThan(0)
  for (const [index, code] of blocks.entries()) {
    const file = join(folder, `testing-${index}.ts`)
    writeFileSync(file, code)
    execFileSync(process.execPath, [file], { cwd: folder })
  }
})

/** What `useChat` does, without the drawing. */
class Page {
  readonly messages: UIMessage[] = []
  readonly #transport: DefaultChatTransport<UIMessage>

  constructor(api: string) {
    this.#transport = new DefaultChatTransport({
      api,
      prepareSendMessagesRequest: ({ id, trigger, messages }) => ({
        body: { id, trigger, message: messages.at(-1) },
      }),
    })
  }

  async say(text: string, { stopAfter = Infinity } = {}): Promise<string> {
    this.messages.push({ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] })
    return this.#send('submit-message', stopAfter)
  }

  async regenerate(): Promise<string> {
    return this.#send('regenerate-message', Infinity)
  }

  async #send(trigger: 'submit-message' | 'regenerate-message', stopAfter: number): Promise<string> {
    const stopper = new AbortController()
    const stream = await this.#transport.sendMessages({
      trigger,
      chatId: 'page',
      messageId: undefined,
      messages: this.messages,
      abortSignal: stopper.signal,
    })
    let heard = ''
    try {
      for await (const message of readUIMessageStream({ stream })) {
        heard = message.parts.map(part => (part.type === 'text' ? part.text : '')).join('')
        if (heard.length > stopAfter) stopper.abort()
      }
    } catch (error) {
      if (!stopper.signal.aborted) throw error
    }
    return heard
  }
}

describe.each(Object.entries(FRAMEWORKS))('examples/%s.ts', (name, peers) => {
  test('is word for word what its page shows', () => {
    const code = readFileSync(join(root, 'examples', `${name}.ts`), 'utf8')
    expect(codeBlocks(`docs/${name}.md`, 'ts')).toContain(code)
  })

  test('sixty turns with tools, through folds and a kill -9, the last answered from the first', async () => {
    const { folder } = projectWith(peers)
    const file = join(folder, `${name}.ts`)
    copyFileSync(join(root, 'examples', `${name}.ts`), file)
    await using server = await startModelServer({ reply: scriptedAssistant })
    const messages = conversation(60)
    const before = new Example(file, folder, server.url)
    for (const message of messages.slice(0, RESTART)) expect(await before.say(message)).toMatch(/^bot: \S/)
    before.kill()
    const after = new Example(file, folder, server.url)
    let reply = ''
    for (const message of messages.slice(RESTART)) reply = await after.say(message)
    expect(await after.end()).toBe(0)
    expect(reply).toBe(`bot: ${ANSWER}`)

    const found = findInRequests(server.requests)
    expect(found).toMatchObject({ invalid: [], brokenPrefixes: [] })
    // In the model's own tokens: it says how many it counted, and that is learned from.
    expect(Math.max(...server.requests.map(countedTokens))).toBeLessThanOrEqual(BUDGET * 1.05)
    expect(found.beginnings).toBeGreaterThan(2)
    await using palimpsest = await createPalimpsest({
      store: sqlite(join(folder, 'chat.db')),
      folding: 'manual',
    })
    const stored = await palimpsest.session('terminal').messages({ limit: 1_000 })
    const asked = stored.filter(({ role }) => role === 'user')
    expect(asked).toHaveLength(60)
    expect(stored.filter(({ role }) => role === 'tool').length).toBeGreaterThanOrEqual(19)
    expect((await palimpsest.session('terminal').info())!.segments).toBeGreaterThan(0)
  })
})
