import { normalizeMessage } from 'palimpsest/internals/log/index'
import { count } from 'palimpsest/internals/policy/index'
import { instructionsFor } from 'palimpsest/internals/summarizer/model/prompts'
import { estimateTokens, measureMessage } from 'palimpsest/internals/tokens/index'
import { describe, expect, it } from 'vitest'
import { PLAIN_PRICES } from '../../../../test/lab/plain-prices.ts'
import { lastMessages, NO_MEMORY, replayBaseline } from '../baselines.ts'
import type { CallCost, Run } from '../comparison.ts'
import { conditionsOf } from '../conditions.ts'
import type { Prices } from '../prices/prices.ts'
import { replay } from '../replay/replay.ts'

/**
 * The bill of one short conversation, worked out apart from the code that it is compared with: from the tokens
 * of its messages and by the rules in words. All that is taken over are sizes, of messages, memories and prompts.
 */

/** Who asks and who answers take turns. */
const SAID = [
  'We need a new boiler before the winter. The old one is from 1998, it leaks, and last night the whole house was cold again. Where do we begin, and what will it cost us in the end?',
  'Begin with two offers from people who come and look at the house. A gas boiler costs about 6,000, a heat pump about 14,000, and for the second the town pays back a third of the price.',
  'Then I want to know more about the heat pump. The garden is small, the neighbours sleep with open windows, and Ann is afraid that the thing hums all night long next to their bedroom.',
  'Modern ones are quiet: about 35 decibels at three metres, which is less than a fridge. It has to stand three metres from the fence, so the corner behind the shed would do for you.',
  'The corner behind the shed it is. I have asked Baker and Sons for an offer, and a man called Pereira, who did the heating for my sister two years ago and was done within a week.',
  'Good. Ask both of them for the same three things: the power at minus ten degrees, the price of the electric work, and who files the papers for the grant with the town before they start.',
  'Baker says 13,900 with everything, and they can come in the second week of October. Pereira says 12,400, but the electric work is not in it, and he has no time before November.',
  'With the electric work Pereira comes to about 13,600.',
  'So they are nearly the same. I would rather be warm in October.',
  'Then take Baker.',
  'Done. They want a third now and the rest at the end.',
  'That is usual. Keep the receipt for the grant.',
  'Where do I send it?',
  'To the town hall, room 12, together with form B.',
  'The boiler man was here today and measured everything. He says that two of the old radiators are too small for the heat pump, the one in the kitchen and the one under the stairs, and have to go.',
  'That happens often in old houses. Two new radiators cost about 900 with the work, and the grant covers a third of that as well, if they stand in the same offer and not in one of their own.',
  'He will write a new offer then. Ann asks whether the floor in the kitchen has to be opened for the pipes, because the tiles are from her grandmother and nobody makes them any more today.',
  'No, the pipes can stay where they are. Only the radiator itself is changed, and the new one hangs on the same wall, so that the tiles are safe; ask him to cover them while he works.',
  'The new offer is here: 14,750 with both radiators, and they start on the 12th of October. The grant would be 4,900. I have to hand in the form before they start, or we get nothing at all.',
  'Then hand it in this week: the town takes ten days to answer, and they must have answered before the work begins. Send the offer, form B and a photograph of the old boiler along with it.',
  'All is sent. The woman at the town hall was friendly and says that we hear from her by the 2nd of October. What else is there to do before the men come with their pump and their pipes?',
  'Clear the way to the shed and the cellar.',
  'We did that on Sunday. Is there anything about the power?',
  'Yes: tell your supplier. There is a cheaper rate for heat pumps.',
  'How much cheaper is it?',
  'About a fifth, but it needs a second meter.',
  'Baker can put that in, I hope.',
  'He can, and it belongs in the same offer.',
  'I will ask him tomorrow. Thank you!',
  'You are welcome. Stay warm.',
]

/** What each of them adds to a request, its frame of 4 included. A reply is written without the frame. */
// biome-ignore format: five to a line can be counted
const TOKENS = [
  51, 53, 44, 46, 46,
  46, 50, 17, 20,  8,
  18, 15, 10, 19, 48,
  49, 45, 48, 57, 47,
  49, 15, 17, 19, 10,
  15, 14, 15, 13, 11,
]

const BEGIN = Date.UTC(2026, 8, 14, 18)

/** A question comes a minute after the answer, the answer ten seconds later; once there are twenty minutes between. */
const MESSAGES = SAID.map((content, index) => {
  const turn = Math.floor(index / 2)
  const seconds = turn * 70 + (index % 2) * 10 + (turn >= 10 ? 20 * 60 - 60 : 0)
  return {
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content,
    at: BEGIN + seconds * 1_000,
  }
})

/** Per million tokens, so that a token costs a millionth; all costs below are in millionths. */
const AUTOMATIC: Prices = PLAIN_PRICES
const BREAKPOINTS: Prices = { ...AUTOMATIC, caching: 'breakpoints', cacheWrite: 1.25 }

const INSTRUCTIONS = 100

/**
 * Above 10 raw messages all but the last 4 are folded: 1–7 when message 11 is there, 8–14 with message 18, 15–21
 * with message 25. What a message sets off is done after the request that it is answered by.
 *
 * The session memory, in tokens and in characters:
 *
 *   memory 1   135    502   a summary of 1–7, which are 336 tokens
 *   memory 2   241    894   and 8–14 in full: 107 tokens are below the 150 from which a model is asked
 *   memory 3   266    972   and in its place a summary of 8–21, which are 107 and 343 tokens
 *
 * Each begins as memory 1 did, but for its last line, the 17 characters of </session_memory>. So much of its tokens is
 * shared with the one before: 241 × (502 − 17) ÷ 894 = 130 and 266 × (502 − 17) ÷ 972 = 132, rounded down.
 */
const MEMORY_TOKENS = [135, 241, 266]

/** `for` which message, `at` which second; `lost`: what the request before had left in the cache. */
const FOLDED = `
  for |   at | shows            | tokens          | shared    | cached |  full | out |  cost | lost
    2 |    0 | 1                | 100 +  51 = 151 |         0 |      0 |   151 |  49 | 396.0 |    0
    4 |   70 | 1–3              | 151 +  97 = 248 |       151 |    151 |    97 |  42 | 322.1 |    0
    6 |  140 | 1–5              | 248 +  92 = 340 |       248 |    248 |    92 |  42 | 326.8 |    0
    8 |  210 | 1–7              | 340 +  96 = 436 |       340 |    340 |    96 |  13 | 195.0 |    0
   10 |  280 | 1–9              | 436 +  37 = 473 |       436 |    436 |    37 |   4 | 100.6 |    0
   12 |  350 | 1–11             | 473 +  26 = 499 |       473 |    473 |    26 |  11 | 128.3 |    0
   14 |  420 | memory 1, 8–13   | 235 +  88 = 323 |       100 |    100 |   223 |  15 | 308.0 |  399
   16 |  490 | memory 1, 8–15   | 323 +  67 = 390 |       323 |    323 |    67 |  45 | 324.3 |    0
   18 |  560 | memory 1, 8–17   | 390 +  94 = 484 |       390 |    390 |    94 |  44 | 353.0 |    0
   20 |  630 | memory 2, 15–19  | 341 + 247 = 588 | 100 + 130 |    230 |   358 |  43 | 596.0 |  254
   22 | 1840 | memory 2, 15–21  | 588 +  96 = 684 |       588 |      0 |   684 |  11 | 739.0 |  588
   24 | 1910 | memory 2, 15–23  | 684 +  32 = 716 |       684 |    684 |    32 |  15 | 175.4 |    0
   26 | 1980 | memory 2, 15–25  | 716 +  29 = 745 |       716 |    716 |    29 |  11 | 155.6 |    0
   28 | 2050 | memory 3, 22–27  | 366 +  90 = 456 | 100 + 132 |    232 |   224 |  11 | 302.2 |  513
   30 | 2120 | memory 3, 22–29  | 456 +  28 = 484 |       456 |    456 |    28 |   7 | 108.6 |    0
`

/**
 * Marks stand after the instructions, after the memory and at the end: of what is shared, only what ends at one
 * counts; and all that is not read from the cache is written to it, at 1.25.
 */
const FOLDED_MARKED = `
  for |   at | shows            | tokens          | shared    | cached | written | out |   cost | lost
    2 |    0 | 1                | 100 +  51 = 151 |         0 |      0 |     151 |  49 | 433.75 |    0
    4 |   70 | 1–3              | 151 +  97 = 248 |       151 |    151 |      97 |  42 | 346.35 |    0
    6 |  140 | 1–5              | 248 +  92 = 340 |       248 |    248 |      92 |  42 | 349.80 |    0
    8 |  210 | 1–7              | 340 +  96 = 436 |       340 |    340 |      96 |  13 | 219.00 |    0
   10 |  280 | 1–9              | 436 +  37 = 473 |       436 |    436 |      37 |   4 | 109.85 |    0
   12 |  350 | 1–11             | 473 +  26 = 499 |       473 |    473 |      26 |  11 | 134.80 |    0
   14 |  420 | memory 1, 8–13   | 235 +  88 = 323 |       100 |    100 |     223 |  15 | 363.75 |  399
   16 |  490 | memory 1, 8–15   | 323 +  67 = 390 |       323 |    323 |      67 |  45 | 341.05 |    0
   18 |  560 | memory 1, 8–17   | 390 +  94 = 484 |       390 |    390 |      94 |  44 | 376.50 |    0
   20 |  630 | memory 2, 15–19  | 341 + 247 = 588 |       100 |    100 |     488 |  43 | 835.00 |  384
   22 | 1840 | memory 2, 15–21  | 588 +  96 = 684 |       588 |      0 |     684 |  11 | 910.00 |  588
   24 | 1910 | memory 2, 15–23  | 684 +  32 = 716 |       684 |    684 |      32 |  15 | 183.40 |    0
   26 | 1980 | memory 2, 15–25  | 716 +  29 = 745 |       716 |    716 |      29 |  11 | 162.85 |    0
   28 | 2050 | memory 3, 22–27  | 366 +  90 = 456 |       100 |    100 |     356 |  11 | 510.00 |  645
   30 | 2120 | memory 3, 22–29  | 456 +  28 = 484 |       456 |    456 |      28 |   7 | 115.60 |    0
`

/**
 * What the summaries cost: at full price, since no call follows one of its own kind. An answer is the summary's
 * words, a memo of 150 and a frame of 30. Messages 8–14 are given to the memo with the summary of 8–21, so that no call
 * is made for it alone.
 */
const SUMMARIZE = estimateTokens(instructionsFor('summarize', true))
const SUMMARIES = [
  { asked: SUMMARIZE + 503, answered: 89 + 150 + 30 },
  { asked: SUMMARIZE + 952, answered: 123 + 150 + 30 },
]

const EVERYTHING = `
  for |   at | shows | tokens           | shared | cached |  full | out |  cost | lost
    2 |    0 | 1     |  100 +  51 = 151 |      0 |      0 |   151 |  49 | 396.0 |    0
    4 |   70 | 1–3   |  151 +  97 = 248 |    151 |    151 |    97 |  42 | 322.1 |    0
    6 |  140 | 1–5   |  248 +  92 = 340 |    248 |    248 |    92 |  42 | 326.8 |    0
    8 |  210 | 1–7   |  340 +  96 = 436 |    340 |    340 |    96 |  13 | 195.0 |    0
   10 |  280 | 1–9   |  436 +  37 = 473 |    436 |    436 |    37 |   4 | 100.6 |    0
   12 |  350 | 1–11  |  473 +  26 = 499 |    473 |    473 |    26 |  11 | 128.3 |    0
   14 |  420 | 1–13  |  499 +  25 = 524 |    499 |    499 |    25 |  15 | 149.9 |    0
   16 |  490 | 1–15  |  524 +  67 = 591 |    524 |    524 |    67 |  45 | 344.4 |    0
   18 |  560 | 1–17  |  591 +  94 = 685 |    591 |    591 |    94 |  44 | 373.1 |    0
   20 |  630 | 1–19  |  685 + 105 = 790 |    685 |    685 |   105 |  43 | 388.5 |    0
   22 | 1840 | 1–21  |  790 +  96 = 886 |    790 |      0 |   886 |  11 | 941.0 |  790
   24 | 1910 | 1–23  |  886 +  32 = 918 |    886 |    886 |    32 |  15 | 195.6 |    0
   26 | 1980 | 1–25  |  918 +  29 = 947 |    918 |    918 |    29 |  11 | 175.8 |    0
   28 | 2050 | 1–27  |  947 +  29 = 976 |    947 |    947 |    29 |  11 | 178.7 |    0
   30 | 2120 | 1–29  | 976 +  28 = 1004 |    976 |    976 |    28 |   7 | 160.6 |    0
`

/** The window slides by two messages each time, so that nothing but the instructions is shared. */
const LAST_SIX = `
  for |   at | shows | tokens          | shared | cached |  full | out |  cost | lost
    2 |    0 | 1     | 100 +  51 = 151 |      0 |      0 |   151 |  49 | 396.0 |    0
    4 |   70 | 1–3   | 151 +  97 = 248 |    151 |    151 |    97 |  42 | 322.1 |    0
    6 |  140 | 1–5   | 248 +  92 = 340 |    248 |    248 |    92 |  42 | 326.8 |    0
    8 |  210 | 2–7   | 100 + 285 = 385 |    100 |    100 |   285 |  13 | 360.0 |  240
   10 |  280 | 4–9   | 100 + 225 = 325 |    100 |    100 |   225 |   4 | 255.0 |  285
   12 |  350 | 6–11  | 100 + 159 = 259 |    100 |    100 |   159 |  11 | 224.0 |  225
   14 |  420 | 8–13  | 100 +  88 = 188 |    100 |    100 |    88 |  15 | 173.0 |  159
   16 |  490 | 10–15 | 100 + 118 = 218 |    100 |    100 |   118 |  45 | 353.0 |   88
   18 |  560 | 12–17 | 100 + 186 = 286 |    100 |    100 |   186 |  44 | 416.0 |  118
   20 |  630 | 14–19 | 100 + 266 = 366 |    100 |    100 |   266 |  43 | 491.0 |  186
   22 | 1840 | 16–21 | 100 + 295 = 395 |    100 |      0 |   395 |  11 | 450.0 |  366
   24 | 1910 | 18–23 | 100 + 233 = 333 |    100 |    100 |   233 |  15 | 318.0 |  295
   26 | 1980 | 20–25 | 100 + 157 = 257 |    100 |    100 |   157 |  11 | 222.0 |  233
   28 | 2050 | 22–27 | 100 +  90 = 190 |    100 |    100 |    90 |  11 | 155.0 |  157
   30 | 2120 | 24–29 | 100 +  86 = 186 |    100 |    100 |    86 |   7 | 131.0 |   90
`

const MILLION = 1_000_000

describe('the bill that was worked out by hand', () => {
  it('rests on sizes as they are estimated', async () => {
    expect(SAID.map(content => measureMessage({ content, sender: null }).tokens)).toEqual(TOKENS)
    const memories = new Set<number>()
    await folded(AUTOMATIC, ({ report }) => {
      for (const { name, tokens } of report.blocks) if (name === 'session_memory') memories.add(tokens)
    })
    expect([...memories]).toEqual(MEMORY_TOKENS)
  })

  it('is what a policy costs where any prefix is cached', async () => {
    const run = await folded(AUTOMATIC)
    expect(run.folds.map(({ at, fromSeq, toSeq }) => [at, fromSeq, toSeq])).toEqual([
      [11, 1, 7],
      [18, 8, 14],
      [25, 15, 21],
    ])
    expectReplies(run, FOLDED)
    expectCalls(run.cost.calls.summary, SUMMARIES)
    expect(run.cost.calls.memo.calls).toBe(0)
    expect(run.cost.calls.extraction.calls).toBe(0)
    const replies = 4_530.9
    const summaries = 2 * SUMMARIZE + 503 + 952 + 5 * (269 + 303)
    expect(run.cost.total * MILLION).toBeCloseTo(replies + summaries)
    expect(run.breaks).toEqual([
      { cause: 'fold', reason: 'count', count: 3, tokens: 399 + 254 + 513 },
      { cause: 'expired', reason: null, count: 1, tokens: 588 },
    ])
    expect(run.tokens).toEqual({
      log: 915,
      // 22–30
      raw: 129,
      // 1–21
      folded: 336 + 107 + 343,
      segments: 96 + 130,
      meanContext: 468,
      peakContext: 745,
      cachedShare: 4_779 / 7_017,
    })
  })

  it('is what a policy costs where marked prefixes are cached', async () => {
    const run = await folded(BREAKPOINTS)
    expectReplies(run, FOLDED_MARKED)
    // Nobody marks what is asked once.
    expectCalls(run.cost.calls.summary, SUMMARIES)
    expect(run.cost.calls.memo.calls).toBe(0)
    expect(run.cost.calls.reply.money * MILLION).toBeCloseTo(5_391.7)
    expect(run.breaks).toEqual([
      { cause: 'fold', reason: 'count', count: 3, tokens: 399 + 384 + 645 },
      { cause: 'expired', reason: null, count: 1, tokens: 588 },
    ])
  })

  it('is what a bot without a memory costs', async () => {
    const run = await baseline(NO_MEMORY)
    expectReplies(run, EVERYTHING)
    expect(run.cost.total * MILLION).toBeCloseTo(4_376.4)
    expect(run.breaks).toEqual([{ cause: 'expired', reason: null, count: 1, tokens: 790 }])
    expect(run.tokens).toMatchObject({ log: 915, raw: 915, folded: 0, peakContext: 1_004 })
  })

  it('is what a bot costs that sends the last six messages', async () => {
    const run = await baseline(lastMessages(6))
    expectReplies(run, LAST_SIX)
    expect(run.cost.total * MILLION).toBeCloseTo(4_592.9)
    expect(run.breaks).toEqual([
      {
        cause: 'slide',
        reason: null,
        count: 11,
        tokens: 240 + 285 + 225 + 159 + 88 + 118 + 186 + 295 + 233 + 157 + 90,
      },
      { cause: 'expired', reason: null, count: 1, tokens: 366 },
    ])
  })
})

function folded(
  prices: Prices,
  onRequest: NonNullable<Parameters<typeof replay>[1]['onRequest']> = () => {},
) {
  const policy = count({ threshold: 10, keepLast: 4 })
  return replay(MESSAGES, { policy, prices, overheadTokens: INSTRUCTIONS, onRequest })
}

function baseline(which: typeof NO_MEMORY): Promise<Run> {
  const options = { prices: AUTOMATIC, overheadTokens: INSTRUCTIONS }
  const conditions = conditionsOf(options, { hasReplies: true, policies: [] })
  const read = () => MESSAGES.map(message => normalizeMessage(message, { zone: 'UTC' }))
  return replayBaseline(which, [{ kind: 'private', read }], conditions)
}

function expectReplies(run: Run, ledger: string): void {
  const rows = rowsOf(ledger)
  let spent = 0
  for (const [index, row] of rows.entries()) {
    const paid = row['full'] ?? 1.25 * row['written']!
    // The ledger itself adds up.
    expect([row['for'], paid + 0.1 * row['cached']! + 5 * row['out']!]).toEqual([
      row['for'],
      expect.closeTo(row['cost']!),
    ])
    const { message, at, contextTokens, cachedTokens } = run.timeline[index]!
    expect([message + 1, (at - BEGIN) / 1_000, contextTokens, cachedTokens]).toEqual([
      row['for'],
      row['at'],
      row['tokens'],
      row['cached'],
    ])
    spent += row['cost']!
  }
  const sum = (column: string) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0)
  const { reply } = run.cost.calls
  expect(run.timeline.length).toBe(rows.length)
  expect(run.timeline.at(-1)!.money * MILLION).toBeCloseTo(run.cost.total * MILLION)
  expect(reply.money * MILLION).toBeCloseTo(spent)
  expect(reply).toMatchObject({
    calls: 15,
    inputTokens: sum('tokens'),
    cachedTokens: sum('cached'),
    outputTokens: sum('out'),
  })
  expect(run.breaks.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(sum('lost'))
}

function expectCalls(cost: CallCost, calls: readonly { asked: number; answered: number }[]): void {
  const asked = calls.reduce((sum, call) => sum + call.asked, 0)
  const answered = calls.reduce((sum, call) => sum + call.answered, 0)
  expect(cost).toMatchObject({
    calls: calls.length,
    inputTokens: asked,
    cachedTokens: 0,
    outputTokens: answered,
  })
  expect(cost.money * MILLION).toBeCloseTo(asked + 5 * answered)
}

/** A sum stands for what is behind its last sign; `shows` is for the reader. */
function rowsOf(ledger: string): readonly Readonly<Record<string, number>>[] {
  const [names = [], ...rows] = ledger
    .trim()
    .split('\n')
    .map(line => line.split('|').map(cell => cell.trim()))
  return rows.map(cells =>
    Object.fromEntries(cells.map((cell, index) => [names[index], Number(cell.split('=').at(-1))])),
  )
}
