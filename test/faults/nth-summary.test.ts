import { expect, test } from 'vitest'
import { count, createPalimpsest, type Session } from '../../packages/palimpsest/src/index.ts'
import { Clock, messages, scripted } from '../folding-kit.ts'
import { sqlitePlace } from '../stores.ts'

const policy = count({ threshold: 20, keepLast: 10, budget: 100_000 })

async function stateOf(chat: Session) {
  const { epoch: _, counters: __, ...file } = await chat.export()
  return file
}

/** What the memo has seen, as the first and the last; a hole would stay as the end of it. */
function withRange(
  value: Readonly<Record<string, unknown>>,
  { messages }: { messages: readonly { seq: number }[] },
) {
  const [from, to] = (value['seen'] as [number, number] | undefined) ?? [1, 0]
  const isNext = messages[0]!.seq <= to + 1
  return { ...value, seen: [from, isNext ? Math.max(to, messages.at(-1)!.seq) : to] }
}

/** Folds a log whose memo lies behind, in chunks and with a roll-up, and lets one of the calls fail. */
async function foldWithFailure(failAt: number) {
  const place = sqlitePlace()
  const clock = new Clock()
  let mayFail = false
  let forgetsMemo = false
  let calls = 0
  const fails = () => mayFail && ++calls === failAt
  const { summarizer } = scripted({
    sourceTokens: 2000,
    summarize: request => {
      if (fails()) return new Error('down')
      const isBad = forgetsMemo && request.of !== 'summaries'
      const text = `- Ann: ${'a long summary of what was said about lemons '.repeat(request.of === 'summaries' ? 2 : Math.floor(request.budgetTokens / 7))}`
      const memo = request.memo && withRange(request.memo.value, request)
      return { text, memo: (isBad ? [] : memo) as never }
    },
    updateMemo: request => (fails() ? new Error('down') : withRange(request.memo.value, request)),
  })
  const options = { policy, summarizer, folding: 'manual', clock: clock.read } as const
  const palimpsest = await createPalimpsest({ store: await place.open(), ...options })
  const chat = palimpsest.session('s')
  await chat.append(messages(1, 360))
  await chat.compact()
  forgetsMemo = true
  await chat.append(messages(361, 400))
  await chat.compact()
  forgetsMemo = false
  await chat.append(messages(401, 500))
  const before = await stateOf(chat)
  mayFail = true
  const outcome = await chat.compact()
  const hasFailed = calls >= failAt
  calls = Number.POSITIVE_INFINITY
  const after = await stateOf(chat)
  if (outcome.outcome === 'failed') expect(after).toEqual(before)
  else expect(outcome).toMatchObject({ outcome: 'applied', toSeq: 490 })
  if (hasFailed && outcome.outcome === 'applied')
    expect(outcome.warnings).toEqual([expect.stringMatching(/^(memo_failed|not_condensed): Error$/)])
  expect(after.messages).toEqual(before.messages)
  // A retry converges; what a side matter missed comes with the next fold.
  clock.now += 3_600_001
  await chat.compact()
  await chat.append(messages(501, 511))
  await chat.compact()
  const info = (await chat.info())!
  expect(info).toMatchObject({ messages: 511, compactedThrough: 501, rawMessages: 10 })
  expect(info.memo!['seen']).toEqual([1, 501])
  expect((await chat.segments()).reduce((sum, { messageCount }) => sum + messageCount, 0)).toBe(501)
  await palimpsest.close()
  await place.remove()
  return { hasFailed, outcome: outcome.outcome }
}

test('whichever call to the summariser fails, nothing is lost, and a retry converges', async () => {
  const outcomes: string[] = []
  for (let failAt = 1; ; failAt++) {
    const { hasFailed, outcome } = await foldWithFailure(failAt)
    if (!hasFailed) break
    outcomes.push(outcome)
    expect(failAt).toBeLessThan(50)
  }
  // The memo that lies behind and roll-ups are side matters; every chunk's summary is not.
  expect(outcomes.join(' ')).toMatch(/^(?:applied )+failed(?: failed)+(?: applied)+$/)
})
