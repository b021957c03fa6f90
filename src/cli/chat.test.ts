import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { InvalidArgumentError } from '../errors.ts'
import { sessionIdOf } from '../runtime/session-id.ts'
import { readChatAddress } from './chat/chat-address.ts'
import { helpText, unknownText } from './chat/commands/index.ts'
import { greetingLines } from './chat/greeting.ts'
import { LinePrompt } from './chat/line-prompt.ts'
import { modelProblem } from './chat/model-problem.ts'
import { readTypedLine, toTypedLine } from './chat/typed-line.ts'

describe('a typed line', () => {
  test.each([
    ['', { kind: 'nothing' }],
    ['  \t', { kind: 'nothing' }],
    [' Hello / there ', { kind: 'message', text: 'Hello / there' }],
    ['两行\n第二行 😀', { kind: 'message', text: '两行\n第二行 😀' }],
    ['//etc is a folder', { kind: 'message', text: '/etc is a folder' }],
    ['/Compact  the dog ', { kind: 'command', name: 'compact', rest: 'the dog' }],
    ['/new', { kind: 'command', name: 'new', rest: '' }],
    ['/', { kind: 'command', name: '', rest: '' }],
  ])('%j', (line, expected) => {
    expect(readTypedLine(line)).toEqual(expected)
  })

  test('what was said can be typed again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const line = toTypedLine(text)
        expect(line).not.toMatch(/[\r\n]/)
        if (line === '') return
        const { kind, text: said } = readTypedLine(line) as { kind: string; text: string }
        expect(kind).toBe('message')
        expect(said.split(/\s+/)).toEqual(text.trim().split(/\s+/))
      }),
    )
  })
})

describe('the id of a session says where it is talked in', () => {
  test('and gives it back', () => {
    const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map(text => text.toWellFormed())
    fc.assert(
      fc.property(part, part, fc.option(part, { nil: undefined }), (channel, chat, thread) => {
        const place = { chat, ...(thread !== undefined && { thread }) }
        expect(readChatAddress(sessionIdOf(channel, place))).toEqual({ channel, place })
      }),
    )
  })

  test.each(['local', 'a:b:c:d', ':x', 'x:', 'a::b', 'terminal:local/archive-20260210', ''])(
    '%j is refused',
    id => {
      expect(() => readChatAddress(id)).toThrow(InvalidArgumentError)
      expect(() => readChatAddress(id)).toThrow('terminal:work')
    },
  )
})

test('an unknown command is named, with the nearest and all there are', () => {
  expect(unknownText('contxt')).toMatch(/no command \/contxt\. Did you mean \/context\?\nThere are \/help, /)
  expect(unknownText('zzzzzzzz')).not.toContain('Did you mean')
  for (const name of ['context', 'compact', 'memory', 'search', 'new', 'undo', 'exit'])
    expect(helpText()).toContain(`/${name}`)
})

test.each([
  [{ statusCode: 401, message: 'no' }, 'PALIMPSEST_MODEL_API_KEY'],
  [{ statusCode: 404, message: 'no' }, 'PALIMPSEST_MODEL_BASE_URL'],
  [{ statusCode: 429, message: 'no' }, 'wait'],
  [{ statusCode: 503, message: 'no' }, '(503)'],
  [{ statusCode: 400, message: 'too\nlong' }, 'too long'],
  [{ message: 'x', cause: { cause: { code: 'ECONNREFUSED' } } }, 'cannot be reached (ECONNREFUSED)'],
  [new InvalidArgumentError('model', 1, 'a name'), 'allowed: a name'],
  [new Error(`\u001b[31m${'long '.repeat(100)}`), '\\u{1b}[31m'],
  ['boo', 'boo'],
  [null, 'null'],
])('a problem is one line that says what to do: %j', (error, expected) => {
  const line = modelProblem(error)
  expect(line).toContain(expected)
  expect(line).not.toMatch(/\p{Cc}/u)
  expect(line.length).toBeLessThan(300)
})

test('the greeting says who, where, how much, and whether there is a model', () => {
  const at = { sessionId: 'terminal:local', place: 'x.db' }
  expect(greetingLines({ ...at, user: 'ann', model: null, info: null }).join('\n')).toMatch(
    /terminal:local as ann · x\.db\nA new chat\. .*\/help.*\nNo model is set.*\nPALIMPSEST_MODEL=/,
  )
  const info = { messages: 1_200, rawMessages: 200 } as never
  expect(greetingLines({ ...at, user: at.sessionId, model: 'openai:gpt-5', info }).join('\n')).toMatch(
    /terminal:local · x\.db\n1,200 messages so far, 1,000 of them folded\. .*\nmodel: openai:gpt-5$/,
  )
})

describe('the prompt', () => {
  const open: LinePrompt[] = []
  afterEach(() => {
    for (const prompt of open.splice(0)) prompt.close()
  })

  function start(history: readonly string[] = []) {
    const input = new PassThrough()
    const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 40 })
    let seen = ''
    screen.on('data', chunk => {
      seen += chunk
    })
    const events = new PassThrough({ objectMode: true })
    const prompt = new LinePrompt({
      ...{ input, screen, history, commands: ['help', 'new'] },
      onLine: (line, isSeen) => events.write({ line, isSeen }),
      onInterrupt: typed => events.write({ typed }),
      onEnd: () => events.write({ end: true }),
    })
    open.push(prompt)
    const next = async () => {
      if (events.readableLength === 0) await once(events, 'readable')
      return events.read()
    }
    return { prompt, input, next, seen: () => seen }
  }

  test('lines of any script, each when it is entered', async () => {
    const { prompt, input, next } = start()
    prompt.show()
    input.write('你好，世界 👩‍👩‍👧\r')
    expect(await next()).toEqual({ line: '你好，世界 👩‍👩‍👧', isSeen: true })
    input.write('and while it is hidden\r')
    expect(await next()).toEqual({ line: 'and while it is hidden', isSeen: false })
  })

  test('what is pasted is one message, unless it is commands', async () => {
    const { prompt, input, next } = start()
    prompt.show()
    input.write('one\r\n two\nthree\n')
    expect(await next()).toEqual({ line: 'one\n two\nthree', isSeen: true })
    input.write('/new\n/help\n')
    expect([await next(), await next()]).toMatchObject([{ line: '/new' }, { line: '/help' }])
  })

  test('arrow up gives what was said before, and Tab what begins so', async () => {
    const { prompt, input, next } = start(['newest', 'oldest'])
    prompt.show()
    input.write('\u001b[A\u001b[A\r')
    expect(await next()).toMatchObject({ line: 'oldest' })
    input.write('/ne\t')
    input.write('\r')
    expect(await next()).toMatchObject({ line: '/new' })
  })

  test('Ctrl-C says what was typed, which can be cleared; Ctrl-D ends it', async () => {
    const { prompt, input, next } = start()
    prompt.show()
    input.write('half\u0003')
    expect(await next()).toEqual({ typed: 'half' })
    prompt.clear()
    input.write('\u0003')
    expect(await next()).toEqual({ typed: '' })
    input.write('\u0004')
    expect(await next()).toEqual({ end: true })
  })

  test('what is typed while it is hidden stands there when it is shown, and steps aside', async () => {
    const { prompt, input, next, seen } = start()
    input.write('later\u0003')
    await next()
    expect(seen()).toBe('')
    prompt.show()
    expect(seen()).toContain('> later')
    const before = seen().length
    prompt.aside(() => {})
    expect(seen().slice(before)).toContain('> later')
  })
})
