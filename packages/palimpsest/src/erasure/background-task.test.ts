import { expect, test } from 'vitest'
import { BackgroundTask, type Remaining } from './background-task.ts'

/** Work that does as it is told, and says when it begins. */
function task(answers: readonly (Remaining | Error)[]) {
  const errors: unknown[] = []
  let [runs, atOnce, most] = [0, 0, 0]
  const background = new BackgroundTask({
    work: async () => {
      most = Math.max(most, ++atOnce)
      await new Promise(resolve => setImmediate(resolve))
      atOnce -= 1
      const answer = answers[runs++] ?? null
      if (answer instanceof Error) throw answer
      return answer
    },
    onError: error => errors.push(error),
  })
  const reach = async (wanted: number) => {
    while (runs < wanted) await new Promise(resolve => setImmediate(resolve))
  }
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
  }
  return { background, errors, reach, settle, figures: () => ({ runs, most }) }
}

test('runs once at a time, and once more for what came meanwhile', async () => {
  const { background, settle, figures } = task([])
  for (let wakes = 0; wakes < 10; wakes++) background.wake()
  await settle()
  expect(figures()).toEqual({ runs: 2, most: 1 })
  background.wake()
  await settle()
  expect(figures()).toEqual({ runs: 3, most: 1 })
})

test('goes on by itself while something is left', async () => {
  const { background, reach, settle, figures } = task([{ afterMs: 1 }, { afterMs: 1 }, null])
  background.wake()
  await reach(3)
  await settle()
  expect(figures().runs).toBe(3)
})

test('tells of what fails, and rests; whoever wakes it cuts the rest short', async () => {
  const { background, errors, reach, settle } = task([new Error('one'), { afterMs: 1_000_000 }])
  background.wake()
  await settle()
  expect(errors).toEqual([new Error('one')])
  background.wake()
  await reach(2)
  background.wake()
  await reach(3)
  await background.close()
})

test('does nothing any more once it is closed', async () => {
  const { background, settle, figures } = task([{ afterMs: 1 }])
  background.wake()
  await background.close()
  background.wake()
  await settle()
  expect(figures().runs).toBe(1)
})
