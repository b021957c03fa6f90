import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verbatimLines } from '../../packages/palimpsest/src/compaction/segment-lines.ts'
import {
  count,
  createPalimpsest,
  type MessageInput,
  type Palimpsest,
} from '../../packages/palimpsest/src/index.ts'
import type { Message } from '../../packages/palimpsest/src/log/index.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import { runs } from '../runs.ts'
import { changeRows, PLACES, type StorePlace, sqlitePlace } from '../stores.ts'

const AT = Date.parse('2026-02-02T10:00:00Z')
const key = { namespace: 'default', id: 'group' }

async function withGroup(
  place: StorePlace,
  use: (palimpsest: Palimpsest, store: Awaited<ReturnType<StorePlace['open']>>) => Promise<void>,
): Promise<void> {
  const store = await place.open()
  const policy = count({ threshold: 2, keepLast: 1 })
  const palimpsest = await createPalimpsest({ store, policy, folding: 'manual', clock: () => AT })
  try {
    await use(palimpsest, store)
  } finally {
    await palimpsest.close()
    await place.remove()
  }
}

function says(id: string, name: string, content: string): MessageInput {
  return { role: 'user', sender: { id, name }, content, at: new Date(AT) }
}

const EARLIER = [
  says('501', 'Alex', 'I signed the lease of the workshop for 600 euros this morning'),
  says('503', 'Bob', 'I owe Ann the 40 euros for the signboard and pay her on Friday'),
  says('505', 'Ann', 'the front door code of the workshop is 7714#, do not tell anyone'),
  says('503', 'Bob', 'then I bring the big ladder for the lamps of the workshop'),
]

test('what bears ids everywhere needs no note of whom its names mean', async () => {
  await withGroup(sqlitePlace(), async palimpsest => {
    const session = palimpsest.session('group', { kind: 'group' })
    await session.append([
      says('501', 'Alex', 'I signed the lease of the workshop for 600 euros this morning'),
      says('502', 'Alex', 'I bring the big ladder for the lamps of the workshop on Friday'),
      says('501', 'Alexander', 'the front door code of the workshop is 7714#, do not tell anyone'),
      says('502', 'Alex', 'then I pay the 40 euros for the signboard'),
      says('502', 'Alex', 'anything new?'),
    ])
    await session.compact({ force: true })
    const text = (await session.context()).toText()
    expect(text).toContain('Alex (502)')
    expect(text).toContain('Alex (501)')
    await session.append(says('502', 'Alex', 'hello?'))
    const { content } = (await palimpsest.memory.chat('group').read())!
    expect(content).toContain('With: Alexander (501; earlier Alex), Alex (502)')
    expect((await session.context()).toText()).not.toContain('Alex is')
  })
})

for (const [database, place] of Object.entries(PLACES))
  describe(`names that become unclear, on ${database}`, () => {
    test('a newcomer who is raw changes no byte of the prefix, and whom the segments mean is told at the end', async () => {
      await withGroup(place(), async palimpsest => {
        const session = palimpsest.session('group', { kind: 'group' })
        await session.append([...EARLIER, says('505', 'Ann', 'anything new?')])
        await session.compact({ force: true })
        const before = await session.context()
        expect(before.toText()).toContain('Alex: I signed the lease')
        expect(before.toText()).not.toContain('Alex is')
        await session.append([
          says('502', 'Аlex', 'hello, I am new'),
          says('503', 'Robert', 'so am I by name'),
          says('505', 'Ann', 'who signed?'),
        ])
        const after = await session.context()
        const stable = before.report.stableMessages
        expect(JSON.stringify(after.messages.slice(0, stable))).toBe(
          JSON.stringify(before.messages.slice(0, stable)),
        )
        expect(after.toText()).toContain(
          'In the session memory and the memory above, Alex is Alex (501); Bob is Bob (503), now Robert.',
        )
        // Folded once more, the memory says it itself.
        await session.append([says('502', 'Аlex', 'and I have to go'), says('505', 'Ann', 'bye')])
        await session.compact({ force: true })
        await session.append([says('505', 'Ann', 'and now?')])
        const folded = (await session.context()).toText()
        expect(folded).toContain('Аlex (502): hello, I am new')
        expect(folded).toContain('(In this part Alex is Alex (501); Bob is Bob (503), now Robert.)')
        expect(folded).not.toContain('memory above')
      })
    })

    test('an erased person leaves neither name nor id; copies keep who speaks', async () => {
      await withGroup(place(), async (palimpsest, store) => {
        const session = palimpsest.session('group', { kind: 'group' })
        await session.append([...EARLIER, says('505', 'Ann', 'anything new?')])
        await session.compact({ force: true })
        const peopleOf = async (id: string) =>
          (await store.folds.readSegments({ namespace: 'default', id }, 'shown')).map(({ people }) => people)
        const people = await peopleOf('group')
        expect(people[0]!.map(({ id }) => id)).toEqual(expect.arrayContaining(['501', '503']))
        await session.fork('forked')
        expect(await peopleOf('forked')).toEqual(people)
        const file = await session.export()
        await palimpsest.import({ ...file, id: 'imported' })
        expect(await peopleOf('imported')).toEqual(people)
        await palimpsest.forget({ kind: 'person', id: '503' })
        const left = JSON.stringify([
          ...(await store.folds.readSegments(key, 'all')),
          ...(await store.folds.readSegments({ namespace: 'default', id: 'forked' }, 'all')),
        ])
        expect(left).not.toMatch(/503|Bob|ladder/)
      })
    })
  })

for (const [database, place] of Object.entries(PLACES))
  test(`what a program of the version before empties keeps no people, on ${database}`, async () => {
    const at = place()
    await withGroup(at, async (palimpsest, store) => {
      const session = palimpsest.session('group', { kind: 'group' })
      await session.append([...EARLIER, says('505', 'Ann', 'anything new?')])
      await session.compact({ force: true })
      expect((await store.folds.readSegments(key, 'all'))[0]!.people).toBeDefined()
      // As it writes: it does not know the column.
      await changeRows(at, `UPDATE segments SET summary = '""', text = '""'`)
      expect((await store.folds.readSegments(key, 'all'))[0]!.people).toBeUndefined()
    })
  })

const voice = fc.constantFrom(
  { role: 'user' as const, sender: null },
  { role: 'user' as const, sender: { id: 'u1', name: 'Mara Featherstonehaugh' } },
  { role: 'user' as const, sender: { id: 'u2', name: 'Mara Featherstonehaugh' } },
  { role: 'assistant' as const, sender: null },
  { role: 'assistant' as const, sender: { id: 'sales', name: 'Sales' } },
  { role: 'assistant' as const, sender: { id: 'billing', name: 'Billing', isSelf: true } },
  { role: 'tool' as const, sender: null },
)
const words = fc.constantFrom(
  'I did not pay yet.',
  'Pay it',
  'ok',
  'Bob: never',
  '- x',
  '2026-01-01 Bob: hi',
  '好',
)

test('each line of a verbatim segment names its speaker, in whatever form it fits, and says nothing of another', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(voice, words), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 200 }),
      fc.boolean(),
      (said, mostTokens, byRoles) => {
        const messages = said.map(([{ role, sender }, text], index) => ({
          ...{
            seq: index + 1,
            role,
            sender,
            content: `${text} no${index + 1};`,
            at: new Date(AT),
            zone: null,
          },
        })) as unknown as Message[]
        const fits = (text: string) => estimateTokens(text) <= mostTokens
        const text = verbatimLines(messages, { zone: 'UTC', fits, byRoles })
        for (const line of text === '' ? [] : text.split('\n')) {
          const head = /^- (?:\d{4}-\d\d-\d\d(?:–\d{4}-\d\d-\d\d)? )?((?:[^:]|:(?=\S))+): /.exec(line)?.[1]
          expect(head, text).toBeDefined()
          const speakers = new Set(
            messages
              .filter(({ seq }) => line.includes(`no${seq};`))
              .map(({ role, sender }) => JSON.stringify([role, sender?.id ?? null])),
          )
          expect(speakers.size, line).toBeLessThanOrEqual(1)
        }
      },
    ),
    { numRuns: runs(500) },
  )
})

test('a private chat with tool calls and a handoff keeps its speakers', async () => {
  await withGroup(sqlitePlace(), async (palimpsest, store) => {
    const session = palimpsest.session('private', { kind: 'private', user: 'u1' })
    const user = (content: string): MessageInput => ({ role: 'user', content, at: new Date(AT) })
    const bot = (id: string, content: NonNullable<MessageInput['content']>): MessageInput => ({
      ...{ role: 'assistant', sender: { id, name: id }, content, at: new Date(AT) },
    })
    await session.append([
      user('I did not pay yet.'),
      bot('sales', [{ type: 'tool-call', toolCallId: 'c1', toolName: 'bill', input: { id: 7 } }]),
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'bill', output: 'open' }],
        at: new Date(AT),
      },
      bot('billing', 'Pay it'),
      bot('sales', 'or wait'),
      user('ok'),
      bot('billing', 'thanks'),
    ])
    await session.compact({ force: true })
    await session.append([user('and now?'), bot('sales', 'nothing')])
    const segments = await store.folds.readSegments({ namespace: 'default', id: 'private' }, 'shown')
    expect(segments.length).toBeGreaterThan(0)
    for (const { summary } of segments)
      for (const line of summary.split('\n'))
        expect(line, summary).toMatch(/^- (?:[\d-]+ )?(?:user|tool|sales|billing): /)
    expect(segments[0]!.summary).toMatch(/user: I did not pay yet\.[\s\S]*billing: Pay it\n.*sales: or wait/)
  })
})
