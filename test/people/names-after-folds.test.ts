import { expect, test } from 'vitest'
import { legendsOf, type Meaning } from '../../packages/palimpsest/src/context/index.ts'
import {
  createPalimpsest,
  modelSummarizer,
  rounds,
  type Summarizer,
} from '../../packages/palimpsest/src/index.ts'
import { namesAlone, type Person, type Segment } from '../../packages/palimpsest/src/log/index.ts'
import { type ModelRequest, scriptedModel } from '../../packages/palimpsest/src/testing/index.ts'
import { PLACES } from '../stores.ts'
import { type Recorded, recordedMessages } from './group-kit.ts'

/** Says again what it was shown: the first words of each line, under the head that stood there. */
function saysAgain({ said }: ModelRequest): string {
  const prompt = said.at(-1)!.text
  const isOfSummaries = prompt.includes('<summaries>')
  const lines = [...prompt.matchAll(isOfSummaries ? SUMMARY_LINE : MESSAGE_LINE)].map(
    ([, seq, day, head, words]) => ({
      seq: Number(seq ?? 0),
      line: `- ${day} ${head}: ${words}`,
      head,
      words,
    }),
  )
  const kept = lines.filter(({ words }) => words!.length > 12)
  const summary = kept.map(({ line }) => line).slice(0, 10)
  const extracts = kept
    .filter(({ words }) => /euros|key|lease|owe|我来|招牌/.test(words!))
    .map(({ seq, head, words }) => ({ text: `${head}: ${words}`, seq }))
  return JSON.stringify({ summary: summary.join('\n'), events: [], details: [], extracts })
}

const MESSAGE_LINE = /^#(\d+) (\d{4}-\d\d-\d\d) \d\d:\d\d (.{1,100}?): (.*)$/gm
const SUMMARY_LINE = /^(?:- )()(\d{4}-\d\d-\d\d) (.{1,100}?): (.*)$/gm

const HEAD = /^- (?:\d{4}-\d\d-\d\d:? )?((?:[^:]|:(?=\S))+?): (.*)$/
const FOLDS = 5

async function inGroup(
  place: (typeof PLACES)['SQLite'],
  summarizer: Summarizer | null,
  check: (group: {
    readonly segments: readonly Segment[]
    readonly memory: readonly string[]
    readonly context: string
    readonly prompts: number
  }) => void,
): Promise<void> {
  const at = place()
  const policy = rounds({ fullContextTurns: 2, cachedContextTurns: 2 })
  const store = await at.open()
  const clock = { now: 0 }
  const palimpsest = await createPalimpsest({
    ...{ store, policy, folding: 'manual', clock: () => clock.now },
    ...(summarizer && { summarizer }),
  })
  try {
    const session = palimpsest.session('group', { kind: 'group' })
    const size = Math.ceil(recordedMessages.length / FOLDS)
    for (let from = 0; from < recordedMessages.length; from += size) {
      const part = recordedMessages.slice(from, from + size)
      clock.now = part.at(-1)!.at.getTime()
      await session.append(part)
      expect(await session.compact({ force: true })).toMatchObject({ outcome: 'applied' })
    }
    const key = { namespace: 'default', id: 'group' }
    const documents = []
    for (const layer of ['chat', 'daily'] as const)
      for (const { key: name } of await store.documents.listDocuments('default', { layer, limit: 100 }))
        documents.push(
          (await store.documents.readDocument({ namespace: 'default', layer, key: name }))!.content,
        )
    const context = await session.context()
    check({
      segments: await store.folds.readSegments(key, 'shown'),
      memory: documents.flatMap(content => content.split('\n')),
      context: context.toText(),
      prompts: 0,
    })
  } finally {
    await palimpsest.close()
    await at.remove()
  }
}

/** Whom a line is about, by its head: marked, or the only one who had that name there. */
function speakerOf(head: string, people: readonly Person[], legend: readonly Meaning[]): string {
  const marked = /\((telegram:\d+)\)"?$/.exec(head)?.[1]
  if (marked !== undefined) return marked
  const meaning = legend.find(({ name }) => name === head)
  const meant = meaning?.people.map(({ shown }) => /\((.*)\)$/.exec(shown)![1]!)
  const found = meant ?? people.filter(person => namesAlone(person).includes(head)).map(({ id }) => id)
  expect(found, `${head} is one person`).toHaveLength(1)
  return found[0]!
}

/** Those whose words stand in no other message. */
const unique: readonly Recorded[] = recordedMessages.filter(
  ({ content }) => recordedMessages.filter(each => each.content.includes(content)).length === 1,
)

/** Who said the longest message that stands in these words; `null`: none stands in them whole. */
function saidBy(words: string): ReadonlySet<string> {
  const whole = unique.filter(({ content }) => content.length > 6 && words.includes(content))
  return new Set(whole.map(({ sender }) => sender.id))
}

const everyone: readonly Person[] = [...Map.groupBy(recordedMessages, ({ sender }) => sender.id)].map(
  ([id, messages]) => ({
    id,
    names: [...new Set(messages.map(({ sender }) => sender.name))].map(name => ({ name, since: '' })),
  }),
)

const SUMMARIZERS = {
  extractive: () => null,
  'a scripted model': () => modelSummarizer(scriptedModel(saysAgain) as never),
} as const

for (const [database, place] of Object.entries(PLACES))
  for (const [by, summarizer] of Object.entries(SUMMARIZERS))
    test(`each line that ${by} leaves is its speaker's, on ${database}`, async () => {
      await inGroup(place, summarizer(), ({ segments, memory, context }) => {
        const legends = legendsOf(segments)
        let checked = 0
        for (const [index, { summary, people }] of segments.entries())
          for (const line of summary.split('\n')) {
            const [, head, words] = HEAD.exec(line) ?? []
            expect(head, line).toBeDefined()
            const speaker = speakerOf(head!, people!, legends[index]!)
            for (const id of saidBy(words!)) expect(id, line).toBe(speaker)
            checked += saidBy(words!).size
          }
        expect(checked).toBeGreaterThan(10)
        let remembered = 0
        for (const line of memory.filter(each => /^- \d{4}-\d\d-\d\d: /.test(each))) {
          const [, head, words] = HEAD.exec(line) ?? []
          const speaker = speakerOf(head!, everyone, [])
          for (const id of saidBy(words!)) expect(id, line).toBe(speaker)
          remembered += 1
        }
        expect(remembered).toBeGreaterThan(5)
        const listed = memory.find(line => line.startsWith('- With: '))!
        for (const name of [
          'Alex (telegram:501)',
          'Alex (telegram:502)',
          'Robert (telegram:503; earlier Bob)',
          'Bob (telegram:504; earlier Kit)',
          'Ann (telegram:505)',
          'A nn (telegram:506)',
          '小雯 (telegram:507)',
        ])
          expect(listed).toContain(name)
        for (const [index, legend] of legends.entries())
          for (const { name } of legend) expect(context, `legend of ${index}`).toContain(`${name} is `)
      })
    })
