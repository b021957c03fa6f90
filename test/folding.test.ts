import { describe, expect, test, vi } from 'vitest'
import {
  count,
  createPalimpsest,
  type FoldOutcome,
  type Palimpsest,
  type PalimpsestOptions,
  rounds,
  type Session,
  type Summarizer,
  type Summary,
  tokens,
} from '../packages/palimpsest/src/index.ts'
import { PLACES, type StorePlace } from './stores.ts'

const WORDS = 'the ship sails on Friday with forty crates of lemons for Ann and Bob in Porto'.split(' ')

/** Long enough that a handful of them is worth a summary. */
function message(number: number) {
  const words = Array.from({ length: 40 }, (_, index) => WORDS[(number * 7 + index * 3) % WORDS.length])
  return {
    role: number % 2 ? ('user' as const) : ('assistant' as const),
    content: `Number ${number}: ${words.join(' ')}.`,
    sender: number % 2 ? 'Ann' : 'Bot',
    externalId: `m-${number}`,
  }
}

const messages = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => message(from + index))

async function withPalimpsest(
  place: StorePlace,
  options: Omit<PalimpsestOptions, 'store'>,
  use: (palimpsest: Palimpsest) => Promise<void>,
): Promise<void> {
  const palimpsest = await createPalimpsest({ store: await place.open(), ...options })
  try {
    await use(palimpsest)
  } finally {
    await palimpsest.close()
    await place.remove()
  }
}

/** Every visible message is raw, or under exactly one shown segment. */
async function expectNoGap(chat: Session): Promise<void> {
  const info = (await chat.info())!
  const segments = await chat.segments()
  let covered = 0
  for (const segment of segments) {
    expect(segment.fromSeq).toBe(covered + 1)
    covered = segment.toSeq
  }
  expect(info.compactedThrough).toBe(covered)
  expect(info.rawMessages).toBe(
    info.messages - segments.reduce((sum, segment) => sum + segment.messageCount, 0),
  )
}

/** A summariser that waits until it is told to go on. */
function heldSummarizer() {
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let calls = 0
  const summarizer: Summarizer = {
    name: 'held',
    version: '1',
    summarize: async () => {
      calls += 1
      begun.resolve()
      await release.promise
      return { text: '- Ann: a short summary of it all', events: [], details: [] }
    },
  }
  return { summarizer, begun: begun.promise, release: release.resolve, calls: () => calls }
}

const policy = count({ threshold: 20, keepLast: 10 })

describe.each(Object.entries(PLACES))('%s folds', (_, place) => {
  test('in the background, until the policy has no more to say', async () => {
    const outcomes: FoldOutcome[] = []
    await withPalimpsest(place(), { policy, onFold: outcome => outcomes.push(outcome) }, async palimpsest => {
      const chat = palimpsest.session('s')
      for (let number = 1; number <= 45; number++) {
        await chat.append(message(number))
        await palimpsest.settled()
      }
      expect(
        outcomes.filter(({ outcome }) => outcome === 'applied').map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
      ).toEqual([
        [1, 11],
        [12, 22],
        [23, 33],
      ])
      expect(await chat.info()).toMatchObject({
        messages: 45,
        rawMessages: 12,
        segments: 3,
        pending: false,
        folding: false,
      })
      const [first] = await chat.segments()
      expect(first).toMatchObject({
        summarizer: 'extractive',
        level: 1,
        state: 'live',
        type: 'lite',
        reason: 'count',
      })
      expect(first!.tokensAfter).toBeLessThan(first!.tokensBefore / 2)
      expect(first!.summary).toMatch(/^- \d{4}-\d{2}-\d{2} (Ann|Bot): /)
      await expectNoGap(chat)
    })
  })

  test('what an earlier process left pending, and catches up after an import', async () => {
    const here = place()
    const before = await createPalimpsest({ store: await here.open(), policy, folding: 'manual' })
    const chat = before.session('s')
    for (let from = 1; from <= 400; from += 100) await chat.append(messages(from, from + 99))
    await before.close()
    await withPalimpsest(here, { policy }, async palimpsest => {
      expect(await palimpsest.settled()).toBe(true)
      expect(await palimpsest.session('s').info()).toMatchObject({ rawMessages: 10, pending: false })
      await expectNoGap(palimpsest.session('s'))
    })
  })

  test('and stays bounded for ever: the oldest segments are rolled up', async () => {
    const small = tokens({ budget: 2000, idleSec: 0 })
    await withPalimpsest(place(), { policy: small }, async palimpsest => {
      const chat = palimpsest.session('s')
      for (let from = 1; from <= 600; from += 20) {
        await chat.append(messages(from, from + 19))
        expect(await palimpsest.settled()).toBe(true)
        const segments = await chat.segments()
        expect(segments.reduce((sum, segment) => sum + segment.tokensAfter, 0)).toBeLessThanOrEqual(500)
        await expectNoGap(chat)
      }
      expect(Math.max(...(await chat.segments()).map(segment => segment.level))).toBeGreaterThan(1)
      expect((await chat.snapshot())!.fixedTokens + (await chat.snapshot())!.raw.tokens).toBeLessThan(2000)
    })
  })

  test('without losing what is appended meanwhile', async () => {
    const { summarizer, begun, release } = heldSummarizer()
    await withPalimpsest(place(), { policy, summarizer }, async palimpsest => {
      const chat = palimpsest.session('s')
      await chat.append(messages(1, 21))
      await begun
      await Promise.all(Array.from({ length: 231 }, (_, index) => chat.append(message(22 + index))))
      await palimpsest.session('other').append(message(1))
      expect((await chat.info())!.folding).toBe(true)
      release()
      expect(await palimpsest.settled()).toBe(true)
      expect(await chat.count()).toBe(252)
      const stored = await chat.messages({ limit: 300 })
      expect(new Set(stored.map(({ externalId }) => externalId)).size).toBe(252)
      expect((await chat.segments())[0]).toMatchObject({ fromSeq: 1, toSeq: 11 })
      await expectNoGap(chat)
    })
  })

  test.each([
    ['an edit', (chat: Session) => chat.edit(3, 'edited meanwhile')],
    ['a rollback', (chat: Session) => chat.rollback(5)],
  ])('nothing over a range that was changed by %s meanwhile', async (_, change) => {
    const { summarizer, begun, release } = heldSummarizer()
    const outcomes: FoldOutcome[] = []
    await withPalimpsest(place(), { policy, summarizer, folding: 'manual' }, async palimpsest => {
      const chat = palimpsest.session('s')
      await chat.append(messages(1, 21))
      const fold = chat.compact().then(outcome => outcomes.push(outcome))
      await begun
      await change(chat)
      release()
      await fold
      expect(outcomes).toMatchObject([{ outcome: 'skipped', reason: 'epoch_conflict' }])
      expect(await chat.segments()).toEqual([])
    })
  })

  test('not at all where the summariser fails: state and log stay as they were, and the next try waits', async () => {
    let answer: () => Promise<Summary> = async () => {
      throw new Error('429')
    }
    let now = Date.now()
    let calls = 0
    const summarizer: Summarizer = {
      name: 'failing',
      version: '1',
      summarize: () => {
        calls += 1
        return answer()
      },
    }
    const options = { policy, summarizer, folding: 'manual', clock: () => now } as const
    await withPalimpsest(place(), options, async palimpsest => {
      const chat = palimpsest.session('s')
      await chat.append(messages(1, 21))
      const { epoch: _, ...before } = await chat.export()
      const text = (text: string) => async () => ({ text, events: [], details: [] })
      const failures: [() => Promise<Summary>, string][] = [
        [answer, 'Error'],
        // A word of the summariser's own is a reason; what may repeat what was said is none.
        [async () => Promise.reject(Object.assign(new Error('no'), { reason: 'quota' })), 'quota'],
        [
          async () => Promise.reject(Object.assign(new Error('no'), { reason: 'no: lemons on Friday' })),
          'Error',
        ],
        [async () => Promise.reject('lemons on Friday'), 'a thrown string'],
        [text(''), 'empty'],
        [text('Error generating summary'), 'error_text'],
        [text("I'm sorry, but I can't help with that."), 'refusal'],
        [text('Please provide the conversation.'), 'asks_for_conversation'],
        [text('x '.repeat(20_000)), 'longer_than_source'],
        [text('## Facts\n(none)'), 'empty_template'],
      ]
      for (const [failing, reason] of failures) {
        answer = failing
        expect(await chat.compact()).toMatchObject({ outcome: 'failed', reason, segmentId: null })
        const { epoch: _, ...after } = await chat.export()
        expect(after).toEqual(before)
        // Without waiting nothing is tried again.
        const tried = calls
        expect(await chat.compact()).toMatchObject({ outcome: 'skipped' })
        expect(calls).toBe(tried)
        now += 3_600_001
      }
      expect((await chat.info())!.lastOutcome).toMatchObject({ outcome: 'failed', reason: 'empty_template' })
      answer = text('- Ann: forty crates of lemons on Friday')
      expect(await chat.compact()).toMatchObject({ outcome: 'applied', fromSeq: 1, toSeq: 11 })
    })
  })

  test('on its own after a silence, once the cache is dead', async () => {
    const idle = tokens({ budget: 4000, idleSec: 0.2 })
    await withPalimpsest(place(), { policy: idle }, async palimpsest => {
      const chat = palimpsest.session('s')
      await chat.append(messages(1, 50))
      expect((await chat.info())!.segments).toBe(0)
      await vi.waitFor(async () => expect((await chat.info())!.segments).toBe(1), {
        timeout: 20_000,
        interval: 20,
      })
      expect((await chat.info())!.lastOutcome).toMatchObject({ reason: 'idle' })
    })
  })

  test('and a summariser that hangs delays nobody, not even the end', async () => {
    const { summarizer, begun } = heldSummarizer()
    const here = place()
    const palimpsest = await createPalimpsest({ store: await here.open(), policy, summarizer })
    const chat = palimpsest.session('s')
    await chat.append(messages(1, 21))
    await begun
    await chat.append(message(22))
    expect(await palimpsest.settled({ timeoutMs: 10 })).toBe(false)
    await palimpsest.close()
    const after = await createPalimpsest({ store: await here.open(), policy })
    expect(await after.session('s').count()).toBe(22)
    expect(await after.settled()).toBe(true)
    expect((await after.session('s').info())!.segments).toBe(1)
    await after.close()
    await here.remove()
  })
})

test('handlers of your own fold in their own way', async () => {
  const here = PLACES.SQLite()
  const types: string[] = []
  await withPalimpsest(
    here,
    {
      policy: snapshot => (snapshot.raw.messages >= 6 ? 'mine' : null),
      folding: 'manual',
      handlers: {
        mine: ({ decision, range, messages }) => {
          types.push(decision.type)
          const summary = `- own: ${messages.length} messages`
          return {
            memo: { value: { seen: range.toSeq }, throughSeq: range.toSeq },
            segments: [
              {
                fromSeq: range.fromSeq,
                toSeq: range.toSeq,
                messageCount: messages.length,
                summary,
                events: [],
                details: [],
                level: 1,
                state: 'live',
                type: decision.type,
                reason: decision.reason,
                summarizer: 'mine',
                promptVersion: '1',
                tokensBefore: range.amount.tokens,
                tokensAfter: 6,
                absorbs: [],
              },
            ],
          }
        },
      },
    },
    async palimpsest => {
      const chat = palimpsest.session('s')
      await chat.append(messages(1, 6))
      expect(await chat.compact()).toMatchObject({ outcome: 'applied', type: 'mine', fromSeq: 1, toSeq: 4 })
      expect(types).toEqual(['mine'])
      expect((await chat.info())!.memo).toEqual({
        seen: 4,
        last_resize: { type: 'mine', turn: 3, reason: 'custom' },
      })
      await expect(chat.compact({ force: 'unknown' })).rejects.toThrow('lite, deep, mine')
    },
  )
})

test('a forced fold goes to the tail, whatever the policy says', async () => {
  await withPalimpsest(PLACES.SQLite(), { policy: rounds(), folding: 'manual' }, async palimpsest => {
    const chat = palimpsest.session('s')
    await expect(chat.compact()).rejects.toMatchObject({ code: 'session_not_found' })
    await chat.append(messages(1, 12))
    expect(await chat.compact()).toMatchObject({ outcome: 'skipped', reason: 'nothing_to_do' })
    expect(await chat.compact({ force: true })).toMatchObject({
      outcome: 'applied',
      type: 'deep',
      reason: 'force',
      fromSeq: 1,
      toSeq: 4,
    })
    expect(await chat.compact({ force: true })).toMatchObject({ outcome: 'skipped', fromSeq: null })
    await expectNoGap(chat)
  })
})
