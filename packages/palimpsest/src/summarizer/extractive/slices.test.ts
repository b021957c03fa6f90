import { expect, test } from 'vitest'
import { runInSlices } from './slices.ts'

function* steps(count: number, onStep = () => {}): Generator<void, string, void> {
  for (let step = 0; step < count; step++) {
    onStep()
    yield
  }
  return 'done'
}

test('pauses whenever a slice is used up, and no more often', async () => {
  let time = 0
  let pauses = 0
  const work = steps(100, () => {
    time += 0.5
  })
  const result = await runInSlices(work, {
    now: () => time,
    pause: async () => {
      pauses++
    },
  })
  expect(result).toBe('done')
  expect(pauses).toBe(20)
})

test('stops at the first pause after an abort', async () => {
  const controller = new AbortController()
  let time = 0
  let taken = 0
  const work = steps(100, () => {
    time += 10
    taken++
  })
  const pause = async () => controller.abort()
  await expect(
    runInSlices(work, { signal: controller.signal, now: () => time, pause }),
  ).rejects.toMatchObject({
    name: 'AbortError',
  })
  expect(taken).toBe(1)
})

test('does nothing when aborted before', async () => {
  let taken = 0
  await expect(
    runInSlices(
      steps(1, () => {
        taken++
      }),
      { signal: AbortSignal.abort() },
    ),
  ).rejects.toMatchObject({ name: 'AbortError' })
  expect(taken).toBe(0)
})
