/**
 * Fits the weights of `packages/palimpsest/src/tokens/estimate-tokens.ts` to o200k_base and prints them, with the error that
 * is left in each category of text.
 *
 *   node scripts/fit-tokens.ts english=prose.txt chat=messages.jsonl python=module.py json=data.json …
 *
 * An argument is `category=path`, or `category:importance=path` with an importance other than 1; a category
 * may have many. `.jsonl` gives the `text` of each line, by itself and joined; `.json` is used twice, indented
 * and compact. Base64, hex, ids, links, emoji and letter noise are generated here. One group of samples in
 * four is held out: it is measured, never fitted.
 */
import { readFileSync } from 'node:fs'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { TOKEN_WEIGHTS } from '../packages/palimpsest/src/tokens/estimate-tokens.ts'
import { type TokenWeights, weighText } from '../packages/palimpsest/src/tokens/weigh-text.ts'

type Sample = { category: string; text: string; tokens: number; features: Float64Array; heldOut: boolean }

/** Short samples tell the weights apart, which long ones blur together; long ones are what is reported on. */
const SAMPLE_CHARACTERS = [25, 50, 100, 200, 700]
const REPORTED_CHARACTERS = 300
const SAMPLES_PER_CATEGORY = 1_000
const HELD_OUT_EVERY = 4
const ROUNDS = 3_000
/** Pulls a weight that the samples hardly speak of to the one in use, rather than to nothing. */
const RIDGE = 0.001

const texts = new Map<string, string[]>()
const importances = new Map<string, number>()
for (const argument of process.argv.slice(2)) {
  const separator = argument.indexOf('=')
  const [category = '', importance = '1'] = argument.slice(0, separator).split(':')
  for (const [name, pieces] of readCategories(category, argument.slice(separator + 1))) {
    texts.set(name, [...(texts.get(name) ?? []), ...pieces])
    importances.set(name, Number(importance))
  }
}
for (const [category, generated] of generate()) texts.set(category, generated)

const parameters = listParameters(TOKEN_WEIGHTS)
const samples = [...texts].flatMap(([category, all]) => sampleCategory(category, all))
const initial = Float64Array.from(parameters, parameter => readParameter(TOKEN_WEIGHTS, parameter))
const fitted = fitWeights(samples, initial)

report('in use', samples, initial)
report('fitted', samples, fitted)
const weights = structuredClone(TOKEN_WEIGHTS)
parameters.forEach((parameter, index) => {
  writeParameter(weights, parameter, Math.round(fitted[index]! * 1_000) / 1_000)
})
console.log(`const TOKEN_WEIGHTS: TokenWeights = ${JSON.stringify(weights)}`)

function readCategories(category: string, path: string): [category: string, texts: string[]][] {
  const content = readFileSync(path, 'utf8')
  if (path.endsWith('.jsonl')) {
    const lines = content.split('\n').filter(line => line !== '')
    const messages = lines
      .map(line => (JSON.parse(line) as { text: string }).text)
      .filter(text => text !== '')
    return [
      [category, messages],
      [`${category}-joined`, cut(messages.join('\n'))],
    ]
  }
  if (!path.endsWith('.json')) return [[category, cut(content)]]
  const value = JSON.parse(content) as unknown
  return [
    [`${category}-indented`, cut(JSON.stringify(value, null, 2))],
    [`${category}-compact`, cut(JSON.stringify(value))],
  ]
}

/** Cuts at a line break or a space where there is one. Short, as the reference encoder is slow on long runs. */
function cut(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    const limit = start + SAMPLE_CHARACTERS[pieces.length % SAMPLE_CHARACTERS.length]!
    let end = limit >= text.length ? text.length : text.lastIndexOf('\n', limit)
    if (end <= (start + limit) / 2) end = text.lastIndexOf(' ', limit)
    if (end <= start) end = limit
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces.filter(piece => piece.trim() !== '')
}

function sampleCategory(category: string, all: string[]): Sample[] {
  // Whole groups of the sizes above, spread over the text.
  const size = SAMPLE_CHARACTERS.length
  const stride = Math.max(1, Math.floor(all.length / SAMPLES_PER_CATEGORY)) * size
  const chosen = all.filter((_, index) => index % stride < size)
  return chosen.map((text, index) => ({
    category,
    text,
    tokens: countTokens(text),
    features: readFeatures(text),
    heldOut: Math.floor(index / SAMPLE_CHARACTERS.length) % HELD_OUT_EVERY === HELD_OUT_EVERY - 1,
  }))
}

function generate(): Map<string, string[]> {
  let state = 12_345
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const repeat = (make: () => string) => Array.from({ length: 60 }, make)
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => random(256)))
  const words = 'api user list item search page blog docs assets image post order cart news help v2'.split(
    ' ',
  )
  const word = () => words[random(words.length)]!
  const id = () => bytes(12).toString('base64url')
  const url = () =>
    `https://${word()}.example-${word()}.com/${word()}/${word()}-${word()}/${random(90_000)}?${word()}=${id()}&utm_source=${word()}`
  const uuid = () =>
    bytes(16)
      .toString('hex')
      .replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const emoji = () => String.fromCodePoint(0x1f300 + random(0x350))
  const face = () => String.fromCodePoint(0x1f600 + random(0x50))
  return new Map([
    ['base64', repeat(() => bytes(400).toString('base64'))],
    ['hex', repeat(() => bytes(250).toString('hex'))],
    ['uuid', repeat(() => Array.from({ length: 12 }, uuid).join('\n'))],
    ['url', repeat(() => Array.from({ length: 6 }, url).join('\n'))],
    ['emoji', repeat(() => Array.from({ length: 200 }, () => (random(3) > 0 ? face() : emoji())).join(''))],
    ['numbers', repeat(() => Array.from({ length: 60 }, () => random(10 ** (1 + random(9)))).join(', '))],
    ['noise', repeat(() => Array.from({ length: 320 }, () => String.fromCharCode(97 + random(26))).join(''))],
  ])
}

type Parameter = readonly (string | number)[]

function listParameters(value: unknown, path: Parameter = []): Parameter[] {
  if (typeof value === 'number') return [path]
  return Object.entries(value as object).flatMap(([key, inner]) => listParameters(inner, [...path, key]))
}

function readParameter(weights: TokenWeights, parameter: Parameter): number {
  return parameter.reduce<unknown>((value, key) => (value as never)[key], weights) as number
}

function writeParameter(weights: TokenWeights, parameter: Parameter, value: number): void {
  const owner = parameter.slice(0, -1).reduce<unknown>((inner, key) => (inner as never)[key], weights)
  ;(owner as Record<string | number, number>)[parameter.at(-1)!] = value
}

/** The scanner is linear in its weights, so that the weight 1 among zeros reads one feature off. */
function readFeatures(text: string): Float64Array {
  const probe = structuredClone(TOKEN_WEIGHTS)
  for (const parameter of parameters) writeParameter(probe, parameter, 0)
  return Float64Array.from(parameters, parameter => {
    writeParameter(probe, parameter, 1)
    const count = weighText(text, probe)
    writeParameter(probe, parameter, 0)
    return count
  })
}

/** Non-negative least squares, every category with its importance; coordinate descent. */
function fitWeights(all: Sample[], prior: Float64Array): Float64Array {
  const size = prior.length
  const gram = Array.from({ length: size }, () => new Float64Array(size))
  const target = new Float64Array(size)
  const training = all.filter(sample => !sample.heldOut)
  const perCategory = new Map<string, number>()
  for (const sample of training)
    perCategory.set(sample.category, (perCategory.get(sample.category) ?? 0) + sample.tokens)
  for (const sample of training) {
    // The error of a sum of n words grows as √n, so that the square of a sample's error is divided by n.
    const importance =
      (importances.get(sample.category) ?? 0.5) / (sample.tokens * perCategory.get(sample.category)!)
    for (let row = 0; row < size; row++) {
      const feature = sample.features[row]!
      if (feature === 0) continue
      target[row]! += importance * feature * sample.tokens
      for (let column = 0; column < size; column++)
        gram[row]![column]! += importance * feature * sample.features[column]!
    }
  }
  const result = Float64Array.from(prior)
  for (let round = 0; round < ROUNDS; round++) {
    for (let row = 0; row < size; row++) {
      const line = gram[row]!
      let rest = target[row]! + RIDGE * prior[row]!
      for (let column = 0; column < size; column++)
        if (column !== row) rest -= line[column]! * result[column]!
      result[row] = Math.max(0, rest / (line[row]! + RIDGE))
    }
  }
  return result
}

function report(title: string, all: Sample[], vector: Float64Array): void {
  const rows: Record<string, Record<string, string | number>> = {}
  for (const [category, group] of Map.groupBy(all, sample => sample.category)) {
    const row: Record<string, string | number> = { samples: group.length }
    for (const heldOut of [false, true]) {
      const part = group.filter(sample => sample.heldOut === heldOut)
      const ratios = part.map(sample => estimate(sample, vector) / sample.tokens)
      const errors = ratios
        .filter((_, index) => part[index]!.text.length >= REPORTED_CHARACTERS)
        .map(ratio => Math.abs(ratio - 1))
        .sort((a, b) => a - b)
      const estimated = part.reduce((sum, sample) => sum + estimate(sample, vector), 0)
      const counted = part.reduce((sum, sample) => sum + sample.tokens, 0)
      const name = heldOut ? 'held out' : 'fitted'
      row[`${name}: total`] = percent(estimated / counted - 1)
      row[`${name}: long, median`] = percent(errors[Math.floor(errors.length / 2)])
      row[`${name}: long, 95th`] = percent(errors[Math.floor(errors.length * 0.95)])
    }
    rows[category] = row
  }
  console.log(title)
  console.table(rows)
}

function estimate(sample: Sample, vector: Float64Array): number {
  return sample.features.reduce((sum, count, index) => sum + count * vector[index]!, 0)
}

function percent(share: number | undefined): string {
  return share === undefined || Number.isNaN(share) ? '' : `${(share * 100).toFixed(1)}%`
}
