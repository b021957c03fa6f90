interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

const HELP = /^# HELP ([a-zA-Z_:][\w:]*) (.+)$/
const TYPE = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/i

/** The text format of Prometheus, strictly: whatever is out of place throws. */
export function parsePrometheus(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  for (const block of text.slice(0, -1).split(/\n+(?=# HELP )/)) {
    const [helpLine = '', typeLine = '', ...lines] = block.split('\n').filter(line => line !== '')
    const [, name = '', help = ''] = match(HELP, helpLine)
    const [, named, type] = match(TYPE, typeLine)
    if (named !== name || families.has(name)) throw new Error(`${name} is there twice, or its type is not`)
    const samples = lines.map(parseSample)
    for (const sample of samples) {
      const allowed = type === 'histogram' ? ['_bucket', '_sum', '_count'].map(end => name + end) : [name]
      if (!allowed.includes(sample.name)) throw new Error(`${sample.name} stands below ${name}`)
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()])
      if (seen.has(key)) throw new Error(`${key} is there twice`)
      seen.add(key)
    }
    const family = { type: type as Family['type'], help, samples }
    if (type === 'counter' && !name.endsWith('_total')) throw new Error(`${name} should end in _total`)
    if (type === 'histogram') checkBuckets(name, family)
    families.set(name, family)
  }
  return families
}

/** The sum of all samples that have these labels, whatever others they have. */
export function total(
  families: Map<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''))
  if (!family) throw new Error(`There is no ${name}`)
  return family.samples
    .filter(sample => sample.name === name)
    .filter(sample => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
}

function match(pattern: RegExp, line: string): RegExpExecArray {
  const found = pattern.exec(line)
  if (found === null) throw new Error(`${JSON.stringify(line)} is not ${pattern}`)
  return found
}

function parseSample(line: string): Sample {
  const [, name = '', written = '', value = ''] = match(SAMPLE, line)
  match(NUMBER, value)
  const labels: Record<string, string> = {}
  for (let rest = written; rest !== ''; ) {
    const [whole, label = '', text = ''] = match(LABEL, rest)
    if (Object.hasOwn(labels, label)) throw new Error(`${label} is there twice in ${line}`)
    labels[label] = text.replaceAll(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character))
    rest = rest.slice(whole.length)
  }
  return { name, labels, value: Number(value.replace(/Inf/, 'Infinity')) }
}

/** Buckets only grow, and the last one holds all. */
function checkBuckets(name: string, { samples }: Family): void {
  const series = Map.groupBy(
    samples.filter(sample => sample.name === `${name}_bucket`),
    ({ labels: { le: _, ...others } }) => JSON.stringify(others),
  )
  for (const [labels, buckets] of series) {
    const count = samples.find(
      sample => sample.name === `${name}_count` && JSON.stringify(sample.labels) === labels,
    )
    const values = buckets.map(({ value }) => value)
    if (buckets.at(-1)?.labels.le !== '+Inf' || values.at(-1) !== count?.value)
      throw new Error(`${name}${labels}: the last bucket is not all`)
    if (values.some((value, index) => value < (values[index - 1] ?? 0)))
      throw new Error(`${name}${labels}: the buckets do not grow`)
  }
}
