import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Session,
  type Summarizer,
  window,
} from '../../packages/palimpsest/src/index.ts'
import { presetFromSettings } from '../../packages/palimpsest/src/policy/index.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { rawIn, said } from './long-text.ts'

/** The sliding window, in the words of the person who described it. */

const START = Date.UTC(2026, 0, 15, 8)

/** Says that it was asked, and waits to be let go on. */
function waitingSummarizer() {
  const asked: { from: number; to: number }[] = []
  let release = () => {}
  let isOpen = false
  const summarizer: Summarizer = {
    name: 'test:waits',
    version: '1',
    sourceTokens: 100_000,
    summarize: async ({ messages }) => {
      asked.push({ from: messages[0]!.seq, to: messages.at(-1)!.seq })
      if (!isOpen) await new Promise<void>(resolve => (release = resolve))
      return { text: 'They counted crates of lemons in the harbour.', events: [], details: [], memo: {} }
    },
  }
  return {
    summarizer,
    asked,
    release: () => {
      isOpen = true
      release()
    },
  }
}

test('context 75, window 12, tail 40, cooldown 900 s and hard limit 30 are the defaults', () => {
  const named = {
    context_size: 75,
    tail_keep_size: 40,
    compression_window_size: 12,
    compression_cooldown_sec: 900,
    compression_hard_limit: 30,
  }
  expect(JSON.stringify(window())).toBe(JSON.stringify(presetFromSettings('window', named)))
  expect(window().contextMessages).toBe(75)
})

test('the tail has to be smaller than the context', () => {
  expect(() => window({ contextSize: 40, tailKeepSize: 40 })).toThrow(/tailKeepSize/)
  expect(() => presetFromSettings('window', { context_size: 40, tail_keep_size: 41 })).toThrow(/tailKeepSize/)
  window({ contextSize: 41, tailKeepSize: 40 })
})

describe.each(Object.entries(PLACES))('the sliding window, on %s', (_, newPlace) => {
  let place: StorePlace
  let palimpsest: Palimpsest
  let chat: Session
  let now: number

  const open = async (options: Partial<PalimpsestOptions> = {}) => {
    palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: window(),
      clock: () => now,
      ...options,
    })
    chat = palimpsest.session('chat')
  }
  const say = async (messages: number, settle = true) => {
    const { messages: stored } = (await chat.info()) ?? { messages: 0 }
    for (let at = stored + 1; at <= stored + messages; at++) {
      now += 1_000
      await chat.append({ role: at % 2 === 1 ? 'user' : 'assistant', content: said(at) })
    }
    if (settle) await palimpsest.settled()
  }
  const ranges = async () => (await chat.segments('all')).map(({ fromSeq, toSeq }) => [fromSeq, toSeq])

  beforeEach(async () => {
    now = START
    place = newPlace()
    await open()
  })

  afterEach(async () => {
    await palimpsest.close()
    await place.remove()
  })

  test('end = total − tail, delta = end − cursor; cursor to end is folded, and the cursor becomes the end', async () => {
    await say(51)
    expect(await chat.info()).toMatchObject({ compactedThrough: 0, segments: 0 })
    await say(1)
    expect((await chat.info())!.compactedThrough).toBe(52 - 40)
    await say(11)
    // Delta is 11, and the cooldown runs.
    expect((await chat.info())!.compactedThrough).toBe(12)
    await say(1)
    expect((await chat.info())!.compactedThrough).toBe(64 - 40)
    expect(await ranges()).toEqual([
      [1, 12],
      [13, 24],
    ])
  })

  test('where the end is not past the cursor there is nothing to do, cooldown or not', async () => {
    await say(52)
    now += 3_600_000
    expect(await chat.judge()).toBeNull()
    expect(await chat.compact()).toMatchObject({ outcome: 'skipped' })
    // One more after the cooldown is a delta above zero.
    await say(1)
    expect((await chat.info())!.compactedThrough).toBe(13)
    expect((await chat.folds())[0]).toMatchObject({ reason: 'cooldown' })
  })

  test('the hard limit folds whatever the window says', async () => {
    await palimpsest.close()
    await open({ policy: window({ compressionWindowSize: 1_000 }) })
    await say(69)
    expect(await ranges()).toEqual([])
    await say(1)
    expect((await chat.folds())[0]).toMatchObject({ reason: 'hard_limit', fromSeq: 1, toSeq: 30 })
  })

  test('one at a time; a trigger meanwhile is noted, and one more judgement follows', async () => {
    await palimpsest.close()
    const { summarizer, asked, release } = waitingSummarizer()
    await open({ summarizer, memory: { extract: 'off' } })
    await say(52, false)
    await expect.poll(() => asked.length).toBe(1)
    await say(14, false)
    expect(await chat.info()).toMatchObject({ folding: true, pending: true, compactedThrough: 0 })
    expect(asked).toHaveLength(1)
    release()
    await palimpsest.settled()
    expect(asked.slice(0, 2)).toEqual([
      { from: 1, to: 12 },
      { from: 13, to: 26 },
    ])
    expect(await chat.info()).toMatchObject({ folding: false, pending: false, compactedThrough: 26 })
  })

  test('the time of the last consolidation is stored, and the cooldown goes by it after a restart', async () => {
    await say(52)
    const { lastFoldAt } = (await chat.info())!
    expect(lastFoldAt!.getTime()).toBe(now)
    await palimpsest.close()
    await open()
    expect((await chat.info())!.lastFoldAt).toEqual(lastFoldAt)
    await say(5)
    expect((await chat.info())!.compactedThrough).toBe(12)
    now = lastFoldAt!.getTime() + 901_000
    await say(1)
    expect((await chat.info())!.compactedThrough).toBe(18)
  })

  test('a failing model does not let the backlog grow for ever', async () => {
    await palimpsest.close()
    const failing: Summarizer = {
      name: 'test:fails',
      version: '1',
      sourceTokens: 100_000,
      summarize: async () => {
        throw new Error('the model is down')
      },
    }
    await open({ summarizer: failing, onError: () => {} })
    let most = 0
    for (let part = 0; part < 30; part++) {
      await say(10)
      most = Math.max(most, (await chat.info())!.rawMessages)
      expect(rawIn(await chat.context()).length).toBeLessThanOrEqual(75)
    }
    expect(most).toBeLessThanOrEqual(40 + 30 + 10)
  })
})
