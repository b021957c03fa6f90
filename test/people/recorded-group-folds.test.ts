import { beforeAll, describe, expect, test } from 'vitest'
import type { DatedEvent } from '../../packages/palimpsest/src/summarizer/index.ts'
import { scriptedModel } from '../../packages/palimpsest/src/testing/index.ts'
import { sqlitePlace } from '../stores.ts'
import { type FoldedRecording, foldRecording } from './folded-recording.ts'
import { type RecordedStatement, recordedStatements } from './recorded-group-statements.ts'
import { faultsOf, legendIn, linesOf, peopleIn, saidIn, type ToldLine, withoutDays } from './told-lines.ts'

/**
 * The recorded group folded three times: every statement that summaries, events, details and memory tell is its
 * speaker's, on its day, with its negation; what was forwarded, quoted or meant as a joke is told as that.
 */

interface Told {
  readonly where: string
  readonly line: ToldLine
  readonly legend: ReadonlyMap<string, string>
  /** The range that it was made from; `null`: of the whole chat. */
  readonly range: readonly [number, number] | null
}

interface Recording {
  readonly told: readonly Told[]
  readonly seqs: ReadonlyMap<string, number>
  readonly folded: FoldedRecording
}

async function read(folded: FoldedRecording): Promise<Recording> {
  const { palimpsest, session } = folded
  const text = (await session.context()).toText()
  const parts = text.split(/^\s*## Messages /m).slice(1)
  const told: Told[] = []
  for (const segment of await session.segments()) {
    const { fromSeq, toSeq, summary, events, details } = segment
    const range = [fromSeq, toSeq] as const
    const legend = legendIn(parts.find(part => part.startsWith(`${fromSeq}–${toSeq}`)) ?? '')
    const add = (kind: string, line: ToldLine) =>
      told.push({ where: `${kind} of ${fromSeq}–${toSeq}`, line, legend, range })
    for (const line of linesOf(summary)) add('summary', line)
    for (const event of events as readonly DatedEvent[]) add('event', saidIn(event.text, null))
    for (const detail of details) add('detail', saidIn(String(detail), null))
  }
  const chat = await session.memory.read()
  const legend = peopleIn(chat!.content)
  const documents = [chat]
  for (const { key } of await palimpsest.memory.list({ layer: 'daily' }))
    documents.push(await palimpsest.memory.document('daily', key).read())
  for (const document of documents)
    for (const line of linesOf(document?.content ?? ''))
      told.push({ where: 'memory', line, legend, range: null })
  const seqs = new Map<string, number>()
  for (let after = 0; after < (await session.count()); after += 100)
    for (const { externalId, seq } of await session.messages({ after, limit: 100 }))
      if (externalId !== null) seqs.set(externalId, seq)
  return { told, seqs, folded }
}

function tells({ line }: Told, { words }: RecordedStatement): boolean {
  return withoutDays(line.text).includes(words)
}

/** Of so many parts each recording tells one: a summary of all of them would be as long as what was said. */
const PARTS = 6

/** Tells the messages that hold statements of one part, just as it was shown who said what. */
function echo(part: number) {
  const statements = recordedStatements.filter(
    // A model that knows a joke says so; this one tells what it is shown.
    ({ manner }, place) => place % PARTS === part && manner !== 'joke',
  )
  return scriptedModel(({ said }) => {
    const prompt = said.map(({ text }) => text).join('\n')
    const shown = [...prompt.matchAll(/^#(\d+) (\d{4}-\d{2}-\d{2}) \d{2}:\d{2} (.*(?:\n {4}.*)*)/gm)].map(
      ([, seq, day, text]) => ({ seq: Number(seq), day, text: ownLines(text!) }),
    )
    const lines = shown.filter(({ text }) => statements.some(({ words }) => text.includes(words)))
    return JSON.stringify({
      summary: lines.map(({ day, text }) => `- ${day} ${text}`).join('\n'),
      events: lines.slice(0, 2).map(({ seq, day, text }) => ({ on: day, text, seq })),
      details: [],
      extracts: lines.slice(-2).map(({ seq, text }) => ({ text, seq })),
    })
  })
}

/** Without what it answers: that is told by its own message. */
function ownLines(text: string): string {
  const lines = text.split(/\n\s*/)
  const [, name, first] = /^(.*?: )(.*)$/s.exec(lines[0]!)!
  if (!first!.startsWith('[answers ')) return lines.join(' ')
  return name + lines.slice(lines.findIndex((line, place) => place > 0 && !line.startsWith('> '))).join(' ')
}

const KINDS = {
  extractive: { least: 25 },
  ...Object.fromEntries(
    Array.from({ length: PARTS }, (_, part) => [
      `a scripted model, part ${part + 1}`,
      { summarizer: echo(part), least: Math.floor(recordedStatements.length / PARTS) },
    ]),
  ),
} as Record<string, { summarizer?: ReturnType<typeof echo>; least: number }>

describe.each(Object.entries(KINDS))('the recorded group, folded by %s', (kind, { summarizer, least }) => {
  let recording: Recording
  beforeAll(async () => {
    recording = await read(await foldRecording(sqlitePlace(), { ...(summarizer && { summarizer }) }))
    return async () => recording.folded[Symbol.asyncDispose]()
  })

  test('is folded three times, and nothing goes wrong', async () => {
    expect(recording.folded.errors).toEqual([])
    const segments = await recording.folded.session.segments('all')
    expect(segments.filter(({ level }) => level === 1)).toHaveLength(3)
  })

  test('tells every statement as its speaker’s, on its day, and no more than was said', () => {
    const { told } = recording
    const faults = recordedStatements.flatMap(statement =>
      told
        .filter(each => tells(each, statement))
        .flatMap(({ where, line, legend }) =>
          faultsOf(line, statement, legend).map(fault => `${where}: ${line.day} ${line.text}\n  ${fault}`),
        ),
    )
    expect(faults).toEqual([])
    const count = recordedStatements.filter(statement => told.some(each => tells(each, statement))).length
    expect(count).toBeGreaterThanOrEqual(least)
  })

  test('names a speaker in every line, such that a reader knows who it is', () => {
    const nameless = recording.told.filter(({ line, range }) => range !== null && line.speaker === null)
    expect(nameless.map(({ where, line }) => `${where}: ${line.text}`)).toEqual([])
  })

  test('tells no value that was replaced in the same range without the newer one', () => {
    if (kind !== 'extractive') return
    const { told, seqs } = recording
    const faults = recordedStatements.flatMap(({ replaces = [], externalId, words }) => {
      const seq = seqs.get(externalId)!
      return told
        .filter(({ range }) => range !== null && range[0] <= seq && seq <= range[1])
        .filter(
          ({ line: { text } }) =>
            replaces.some(old => text.includes(old)) && !text.includes(words) && !IS_REPLACED.test(text),
        )
        .map(({ where, line }) => `${where}: ${line.text} (it is: ${words})`)
    })
    expect(faults).toEqual([])
  })

  test('tells an answer under no other question', () => {
    const { told } = recording
    const faults = recordedStatements.flatMap(statement =>
      told.flatMap((each, place) => {
        const before = told[place - 1]
        if (statement.answers === undefined || !tells(each, statement) || before?.where !== each.where)
          return []
        if (!/[?？]\s*$/.test(before.line.text) || !each.where.startsWith('summary')) return []
        return each.line.text.includes(before.line.text) ? [] : [`${before.line.text} / ${each.line.text}`]
      }),
    )
    const wrong = faults.filter(fault => !isAsked(fault))
    expect(wrong).toEqual([])
  })
})

/** `63 (→ 68)`: what holds stands behind it. */
const IS_REPLACED = /\(→ [^)]+\)/

/** Questions and what answers them. */
const PAIRS: readonly (readonly [RegExp, RegExp])[] = [
  [/who has the key to the back door/, /the back door key is with me/],
  [/油漆谁去买/, /油漆我去买/],
  [/when does the timber arrive/, /timber arrives/],
  [/what's the wifi/, /wifi叫/],
]

function isAsked(pair: string): boolean {
  return PAIRS.some(([question, answer]) => question.test(pair) && answer.test(pair))
}
