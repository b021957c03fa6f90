import { PRICE_PRESETS } from '@palimpsest/replay/internals/prices/presets'
import { count } from 'palimpsest/internals/policy/index'
import { expect, test } from 'vitest'
import { replays } from './replays.ts'

const question = { policy: count(), prices: PRICE_PRESETS['claude-haiku-4-5']!, groupTurnMessages: 12 }

test('nobody has many wait, what nobody waits for is let go of, and those who wait have nothing read yet', async () => {
  const { promise: isLetOn, resolve: letOn } = Promise.withResolvers<void>()
  const gone = new AbortController()
  let reads = 0
  const ask = (namespace: string, signal = AbortSignal.timeout(60_000)) =>
    replays.ofSession(
      async () => {
        reads += 1
        await isLetOn
        return { kind: 'private', messages: [] }
      },
      question,
      { namespace, signal },
    )
  const running = ask('busy')
  const abandoned = Promise.allSettled(Array.from({ length: 7 }, () => ask('busy', gone.signal)))
  await expect(ask('busy')).rejects.toMatchObject({ code: 'rate_limited', details: { retryAfter: '1' } })
  const other = ask('other')
  await new Promise(resolve => setImmediate(resolve))
  expect(reads).toBeLessThanOrEqual(1)
  gone.abort()
  expect((await abandoned).map(({ status }) => status)).toEqual(Array(7).fill('rejected'))
  const next = ask('busy')
  letOn()
  expect(await Promise.all([running, other, next])).toMatchObject(Array(3).fill({ turns: 0 }))
  expect(reads).toBe(3)
})

test('a sample that two ask for is replayed once, and one that nobody waits for is not', async () => {
  const here = { namespace: 'here', signal: AbortSignal.timeout(60_000) }
  let looks = 0
  const policy = {
    ...question.policy,
    get judges() {
      looks += 1
      return question.policy.judges
    },
  }
  await expect(
    replays.ofSample('gone', { ...question, policy }, { ...here, signal: AbortSignal.abort() }),
  ).rejects.toThrow()
  expect(looks).toBe(0)
  const [one, other] = await Promise.all([
    replays.ofSample('the same', question, here),
    replays.ofSample('the same', question, { ...here, namespace: 'there' }),
  ])
  expect(other).toBe(one)
  expect(await replays.ofSample('the same', question, here)).toBe(one)
})
