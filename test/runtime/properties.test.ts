import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DeliveryError, type ReplyReport, type ReplyRequest } from '../../packages/bot/src/index.ts'
import { contentText, interruptionOf } from '../../packages/palimpsest/src/log/index.ts'
import { testClock } from '../../packages/palimpsest/src/testing/index.ts'
import { runs } from '../runs.ts'
import { sqlitePlace } from '../stores.ts'
import { type Kit, MemoryPlatform, quiet, runtimeKit } from './runtime-kit.ts'

type Step =
  | { readonly say: { readonly chat: string; readonly who: string; readonly mentions: boolean } }
  | { readonly repeat: number }
  | { readonly wait: number }
  | { readonly flood: number }
  | 'stop'
  | 'restart'

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        say: fc.record({
          chat: fc.constantFrom('private', 'group'),
          who: fc.constantFrom('ann', 'bob', 'cid'),
          mentions: fc.boolean(),
        }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ repeat: fc.nat(5) }) },
    { weight: 5, arbitrary: fc.record({ wait: fc.constantFrom(1, 100, 1_000, 1_600, 5_000) }) },
    { weight: 1, arbitrary: fc.record({ flood: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.constant('stop' as const) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  ),
  { minLength: 3, maxLength: 40, size: 'max' },
)

/** How the next attempts to answer go. */
const tempers = fc.array(fc.constantFrom('well', 'well', 'slowly', 'badly', 'badly at its end', 'silently'), {
  minLength: 1,
  maxLength: 6,
})

const rules = fc.record({
  during: fc.constantFrom('queue' as const, 'join' as const, 'interrupt' as const),
  groupsBy: fc.constantFrom('sender' as const, 'chat' as const),
  edits: fc.boolean(),
})

test('whatever happens, each message is stored once and in its order, and each that is to be answered is dealt with once', async () => {
  await fc.assert(
    fc.asyncProperty(steps, tempers, rules, async (steps, tempers, { during, groupsBy, edits }) => {
      const clock = testClock('2026-03-06T10:00:00Z')
      const place = sqlitePlace()
      const platform = new MemoryPlatform({ edits })
      const reports: ReplyReport[] = []
      let attempt = 0
      async function* respond({ messages, session }: ReplyRequest): AsyncGenerator<string> {
        const temper = tempers[attempt++ % tempers.length]
        if (temper === 'badly') throw new Error('badly')
        if (temper === 'silently') return
        yield `${session.id} `
        if (temper === 'slowly') for (let waits = 0; waits < 3; waits++) await pause(1_200)
        if (temper === 'badly at its end') throw new Error('badly')
        yield messages.map(({ seq }) => seq).join(',')
      }
      const pause = (ms: number) => new Promise(resolve => clock.setTimeout(() => resolve(null), ms))
      const open = (): Promise<Kit> =>
        runtimeKit({
          ...{ place, clock, platform, responder: respond },
          inbox: { groupsBy },
          turns: { during, attempts: 50, backoffMs: 100 },
          onReply: report => reports.push(report),
        })
      let kit = await open()
      const arrived: Record<string, string[]> = { private: [], group: [] }
      const owed: string[] = []
      const said: (() => Promise<unknown>)[] = []
      for (const [index, step] of steps.entries()) {
        if (step === 'stop') kit.runtime.stopReply('memory:group')
        else if (step === 'restart') {
          await kit.end()
          kit = await open()
        } else if ('wait' in step) await kit.clock.advance(step.wait)
        else if ('flood' in step)
          platform.failures.push(
            ...Array.from({ length: step.flood }, () => new DeliveryError('flood', { retryAfterMs: 700 })),
          )
        else if ('repeat' in step) {
          const again = said.at(-1 - step.repeat)
          if (again) expect(await again()).toMatchObject({ duplicate: true, triggers: null })
        } else {
          const { chat, who, mentions } = step.say
          const id = `${chat}-${index}`
          const message = {
            ...{ chat, id, mentionsBot: mentions, sender: { id: who } },
            kind: chat as 'private' | 'group',
            at: new Date(0),
          }
          said.push(() => kit.say(id, message))
          const { triggers } = await kit.say(id, message)
          if (chat === 'private' || mentions) expect(triggers).not.toBeNull()
          arrived[chat]!.push(id)
          if (triggers) owed.push(id)
        }
      }
      await quiet(kit)
      await check({ kit, platform, reports, arrived, owed })
      await kit.close()
    }),
    { numRuns: runs(10, 60) },
  )
})

interface Outcome {
  readonly kit: Kit
  readonly platform: MemoryPlatform
  readonly reports: readonly ReplyReport[]
  readonly arrived: Readonly<Record<string, readonly string[]>>
  readonly owed: readonly string[]
}

async function check({ kit, platform, reports, arrived, owed }: Outcome): Promise<void> {
  expect(await kit.palimpsest.waiting()).toEqual([])
  const settled: string[] = []
  const complete = new Map<string, string>()
  for (const chat of ['private', 'group']) {
    const log = await kit.palimpsest.session(`memory:${chat}`).messages({ limit: 1_000 })
    const user = log.filter(({ role }) => role === 'user')
    expect(user.map(({ externalId }) => externalId)).toEqual(arrived[chat])
    const idOf = new Map(user.map(({ seq, externalId }) => [seq, externalId!]))
    // Of an answer that is delivered after a restart, the report knows the first message only.
    for (const { sessionId, seqs, outcome } of reports)
      if (sessionId === `memory:${chat}` && outcome !== 'delivered')
        settled.push(...seqs.map(seq => idOf.get(seq)!))
    for (const { role, content, replyTo } of log) {
      if (role !== 'assistant' || interruptionOf(content)) continue
      const seqs = contentText(content).split(' ')[1]!.split(',').map(Number)
      settled.push(...seqs.map(seq => idOf.get(seq)!))
      expect(replyTo).toBe(seqs[0])
      complete.set(contentText(content), idOf.get(replyTo as number)!)
    }
  }
  expect(settled.sort()).toEqual([...owed].sort())
  const delivered = reports.filter(({ outcome }) => outcome === 'delivered')
  expect(complete.size).toBe(delivered.length)
  for (const [text, replyTo] of complete)
    expect([...platform.shown.values()].filter(shown => shown.text === text)).toMatchObject([{ replyTo }])
}
