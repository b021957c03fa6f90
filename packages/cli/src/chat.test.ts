import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { sessionIdOf } from '@palimpsest/bot/internals/session-id'
import fc from 'fast-check'
import { ERROR_CODES, InvalidArgumentError } from 'palimpsest/internals/errors'
import { afterEach, describe, expect, test } from 'vitest'
import { readChatAddress } from './chat/chat-address.ts'
import { chatFailure } from './chat/chat-failure.ts'
import { helpText, unknownText } from './chat/commands/index.ts'
import { greetingLines } from './chat/greeting.ts'
import { LinePrompt } from './chat/line-prompt.ts'
import { modelFault, modelProblem } from './chat/model-problem.ts'
import { PasteReader } from './chat/read-pastes.ts'
import { readTypedLine, toTypedLine } from './chat/typed-line.ts'
import { databasePlace } from './database-place.ts'
import { placeFlags } from './place-flags.ts'

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
        const words = (each: string) => each.replace(/[\p{Cc}\s]|\p{Bidi_C}/gu, '')
        expect(words(said)).toBe(words(text))
      }),
    )
  })

  test('no escape sequence and no mark of direction can be typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(toTypedLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]|\p{Bidi_C}/u)
      }),
    )
    expect(toTypedLine('one\u001b[31m\u202e \r\n\ttwo\u009b2J')).toBe('one[31m two2J')
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
  [
    { statusCode: 429, message: 'no', data: { error: { code: 'insufficient_quota' } } },
    'waiting does not help',
  ],
  [{ statusCode: 400, responseBody: '{"error":{"type":"overloaded_error"}}' }, '(400, overloaded_error)'],
  [{ statusCode: 400, responseBody: '{"error":{"code":"LEMON_4711"}}' }, 'refused the request (400)'],
  [{ statusCode: 503, message: 'no' }, '(503)'],
  [{ statusCode: 400, message: 'too\nlong' }, 'refused the request (400)'],
  [{ message: 'x', cause: { cause: { code: 'ECONNREFUSED' } } }, 'cannot be reached (ECONNREFUSED)'],
  [new InvalidArgumentError('model', 1, 'a name'), 'allowed: a name'],
  [new Error(`\u001b[31m${'long '.repeat(100)}`), 'There was no reply: Error'],
  ['boo', 'a thrown string'],
  [null, 'a thrown null'],
])('a problem is one line that says what to do: %j', (error, expected) => {
  const line = modelProblem(error)
  expect(line).toContain(expected)
  expect(line).not.toMatch(/\p{Cc}/u)
  expect(line.length).toBeLessThan(300)
})

test.each([
  [{ statusCode: 503, message: 'no' }, 'The model is out of order (503).'],
  [Object.assign(new Error('bad port'), { code: 'EBADPORT' }), 'There was no reply: Error (EBADPORT).'],
])('where it is tried again nobody is told to: %j', (error, expected) => {
  expect(modelFault(error)).toBe(expected)
})

test.each([
  [new InvalidArgumentError('model', 1, 'a name'), 64],
  [{ statusCode: 401, message: 'no' }, 78],
  [{ statusCode: 503, message: 'no' }, 69],
  [{ message: 'x', cause: { code: 'ECONNREFUSED' } }, 69],
  [new Error('boo'), 70],
])('what went wrong has an exit code: %j', (error, exit) => {
  expect(ERROR_CODES[chatFailure(error).code].exit).toBe(exit)
})

test('what is named goes before the environment, and a file that is named before its database', () => {
  const environment = { db: 'e.db', store: 'postgres://e/e' }
  expect(databasePlace({}, {})).toEqual({ db: 'palimpsest.db' })
  expect(databasePlace({}, {}, file => `beside/${file}`)).toEqual({ db: 'beside/palimpsest.db' })
  expect(databasePlace({}, environment)).toEqual(environment)
  expect(databasePlace({ db: 'f.db' }, environment)).toEqual({ db: 'f.db' })
  expect(databasePlace({ store: 'postgres://f/f' }, environment)).toMatchObject({ store: 'postgres://f/f' })
})

test('flags for another command name the same memory, without a password', () => {
  expect(placeFlags({ db: 'x.db' }, 'default')).toBe('--db x.db')
  expect(placeFlags({ db: "Ann's files/x.db" }, 'a b')).toBe(
    String.raw`--db 'Ann'\''s files/x.db' --namespace 'a b'`,
  )
  const store = 'postgres://ann:s3cret@host:5432/db?password=s3cret&sslmode=require'
  expect(placeFlags({ db: 'x.db', store }, 'default')).toBe(
    "--store 'postgres://ann@host:5432/db?sslmode=require'",
  )
})

describe('what is pasted', () => {
  test('is told from what is typed, however it comes in pieces', () => {
    const marked = 'ab\u001b[200~one\r/two\u001b[A\u001b[201~c\u001b[A\u001b[200~\u001b[201~'
    const begins = [...marked.matchAll(/\[200~/g)].flatMap(({ index }) => [index, index + 1])
    for (let cut = 0; cut <= marked.length; cut++) {
      if (begins.includes(cut)) continue
      const reader = new PasteReader()
      const inputs = [...reader.read(marked.slice(0, cut)), ...reader.read(marked.slice(cut))]
      const read = inputs.map(input => ('typed' in input ? input.typed : `<${input.pasted}>`)).join('')
      expect(read).toBe('ab<one\r/two\u001b[A>c\u001b[A<>')
    }
  })

  test('a key that begins like a mark is not held back', () => {
    expect(new PasteReader().read('\u001b')).toEqual([{ typed: '\u001b' }])
    expect(new PasteReader().read('\u001b[2~')).toEqual([{ typed: '\u001b[2~' }])
  })
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

  const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`

  test('what the terminal says was pasted is one message and no command', async () => {
    const { prompt, input, next, seen } = start()
    prompt.show()
    expect(seen()).toContain('\u001b[?2004h')
    input.write(pasted('/new\r/help\t\u001b[2J 你好\n'))
    expect(await next()).toEqual({ line: '//new\n/help\t[2J 你好', isSeen: true })
    prompt.show()
    input.write(`so: ${pasted('one\r\ntwo')}`)
    input.write(' and three\r')
    expect(await next()).toEqual({ line: 'so: one\ntwo and three', isSeen: true })
    expect(seen()).toContain('one⏎\ufe0etwo')
    input.write(pasted('/etc'))
    input.write('\r')
    expect(await next()).toMatchObject({ line: '//etc' })
    input.write(`/search ${pasted('my dog')}\r`)
    expect(await next()).toMatchObject({ line: '/search my dog' })
    input.write(`${pasted('/etc')}\u0003`)
    await next()
    prompt.clear()
    input.write('/help\r')
    expect(await next()).toMatchObject({ line: '/help' })
    prompt.close()
    expect(seen().endsWith('\u001b[?2004l')).toBe(true)
  })

  test('what is cleared is gone from all its rows', async () => {
    const { prompt, input, next, seen } = start()
    prompt.show()
    input.write(`${'word '.repeat(20)}\u0003`)
    await next()
    const before = seen().length
    prompt.clear()
    expect(seen().slice(before)).toContain('\u001b[2A')
    expect(seen().slice(before)).toContain('\u001b[0J')
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
    expect(seen()).not.toContain('later')
    prompt.show()
    expect(seen()).toContain('> later')
    const before = seen().length
    prompt.aside(() => {})
    expect(seen().slice(before)).toContain('> later')
  })
})
