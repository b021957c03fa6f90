import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redactSecrets } from '../../packages/palimpsest/src/index.ts'
import { redactorFor } from '../../packages/palimpsest/src/redaction/redact.ts'
import { redactJson } from '../../packages/palimpsest/src/redaction/redact-json.ts'
import { redactSecretsInSteps } from '../../packages/palimpsest/src/redaction/secrets.ts'
import { runAtOnce, runInSlices } from '../../packages/palimpsest/src/slices.ts'
import { runs } from '../runs.ts'
import { secretSamples } from './secret-samples.ts'

/** Signs, letters, digits, markers, names, prefixes of keys, and scripts: what a pattern could begin at again. */
const PIECES = [
  ...[
    '?sig=',
    'token=',
    'token=?',
    'password:',
    'password="',
    'pw=“',
    'authorization: ',
    'bearer ',
    'auth="',
  ],
  ...[
    'a://b:c',
    '://',
    '@',
    'sk-' + 'proj-',
    'gh' + 'p_',
    'ey' + 'J',
    'ey' + 'Jaaaaaaaa.',
    'AK' + 'IA',
    'xo' + 'xb-',
  ],
  ...[
    `${'-'.repeat(5)}BEGIN RSA PRIVATE KEY${'-'.repeat(5)}`,
    `${'-'.repeat(5)}END RSA PRIVATE KEY${'-'.repeat(5)}`,
  ],
  ...[
    'MIIEowIBAAKC' + 'AQEA\n',
    'Private-Lines: 4\n',
    '4111 ',
    '4111',
    'a',
    'A1',
    'Aa1'.repeat(7),
    'login x password ',
  ],
  ...[
    '.',
    '-',
    '_',
    '=',
    '&',
    '"',
    "'",
    '\\',
    '\n',
    '\r',
    ' ',
    '*',
    '~',
    '…',
    '<',
    '>',
    '/',
    '+',
    ',',
    '[',
    '<password>',
  ],
  ...[
    '密码',
    '密码：',
    '是',
    'パスワード',
    '비번',
    'mot de passe : ',
    'curl -u ',
    'mysql -p',
    'password is ',
    'for a ',
  ],
  ...['\u200b', '\u0301', '\ufeff', 'ｋ', '４', 'é', '😀', '\ud83d', '[redacted: password]', '[redacted: '],
]

/** Processor time, which other programs of the machine add nothing to. */
function timeOf(text: string): number {
  const started = process.cpuUsage()
  redactSecrets(text)
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}

function bestOf(times: number, text: string): number {
  return Math.min(...Array.from({ length: times }, () => timeOf(text)))
}

const SHORT = 30_000
/** Below this, in milliseconds, a collection of garbage weighs more than the work. */
const MIN_MS = 25

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length))
}

/** Four times the text may take eight times as long. One look first, so that most cost two calls. */
function growsTooFast(unit: string): boolean {
  const [short, long] = [repeated(unit, SHORT), repeated(unit, 4 * SHORT)]
  if (timeOf(long) <= Math.max(MIN_MS, 8 * timeOf(short))) return false
  const isSlow = () => bestOf(5, long) > Math.max(MIN_MS, 8 * bestOf(5, short))
  return isSlow() && isSlow()
}

const NONE: readonly string[] = []

test('each piece, over and over, costs what its length asks for', () => {
  expect(PIECES.filter(growsTooFast)).toEqual(NONE)
})

test('so do pieces put together', () => {
  const unit = fc
    .array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 3 })
    .map(pieces => pieces.join(''))
  fc.assert(
    fc.property(unit, unit => !growsTooFast(unit)),
    { numRuns: runs(60) },
  )
})

test('the names of fields that become one cost what their number asks for', () => {
  const fields = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${'gh' + 'p_'}${'a1B2c3D4e5F6'.repeat(3)}${index}`, 1]),
    )
  const redacted = runAtOnce(redactJson(fields(30_000), redactorFor(redactSecrets, 'message')))
  expect(Object.keys(redacted).length).toBe(30_000)
  expect(Object.keys(redacted)[29_999]).toBe('[redacted: token] (30000)')
})

test('the bytes of a picture as large as a request may be are left alone', () => {
  const part = { type: 'file', mediaType: 'image/png', data: 'aB3/'.repeat(4_000_000) }
  const text = redactorFor(redactSecrets, 'message')
  expect(runAtOnce(redactJson(part, text))).toBe(part)
  const url = `data:image/png;base64,${part.data}`
  expect(runAtOnce(redactJson({ url }, text)).url === url).toBe(true)
})

/** Secrets among other pieces, so that slices fall into each of them. */
const mixed = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES),
      fc.constantFrom(...secretSamples().map(({ text }) => text)),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { minLength: 1, maxLength: 30 },
  )
  .map(pieces => pieces.join(' '))

test('in slices it comes to the same as in one go', async () => {
  await fc.assert(
    fc.asyncProperty(mixed, fc.integer({ min: 1, max: 400 }), async (text, times) => {
      const long = text.repeat(Math.min(times, Math.ceil(200_000 / text.length)))
      expect(await runInSlices(redactSecretsInSteps(long))).toBe(redactSecrets(long))
    }),
    { numRuns: runs(60) },
  )
})

test('done again, it changes nothing more', () => {
  fc.assert(
    fc.property(mixed, text => {
      const once = redactSecrets(text)
      expect(redactSecrets(once)).toBe(once)
    }),
    { numRuns: runs(1_000) },
  )
})

/** Processor time of the longest step. A collection of garbage falls into some, so the best of several runs counts. */
function longestStep(text: string): number {
  const steps = redactSecretsInSteps(text)
  let longest = 0
  for (;;) {
    const started = process.cpuUsage()
    const { done } = steps.next()
    longest = Math.max(longest, process.cpuUsage(started).user / 1_000)
    if (done) return longest
  }
}

const LONG = ['?sig=', 'token=?', 'password: a1b2c3d4 ', 'Aa1-', '密码：', '\u200bk', '4111 1111 ', 'aaaa\n']

test.for(LONG)('no step of a long text of %j takes long', unit => {
  const text = repeated(unit, 4_000_000)
  const isQuick = () => longestStep(text) < 90
  expect(isQuick() || isQuick() || isQuick()).toBe(true)
})
