import { expect, test } from 'vitest'
import { createPalimpsest, type Palimpsest, rounds } from '../../packages/palimpsest/src/index.ts'
import { FoldWorker } from '../../packages/palimpsest/src/worker/worker.ts'
import { queuePlace } from './queue-place.ts'

test('an append makes a job, and a worker folds', async () => {
  await using place = await queuePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: rounds({ fullContextTurns: 2, cachedContextTurns: 1 }),
    folding: 'queue',
  })
  const chat = palimpsest.session('a')
  for (let turn = 1; turn <= 3; turn++)
    await chat.append([
      { role: 'user', text: `question ${turn}` },
      { role: 'assistant', text: `answer ${turn}` },
    ])
  expect((await chat.info())!.pending).toBe(true)
  expect((await chat.info())!.segments).toBe(0)
  const store = await place.open()
  let instance: Palimpsest | null = null
  const worker = await FoldWorker.start({
    place,
    store,
    instanceOf: async namespace => {
      instance ??= await createPalimpsest({
        store: await place.open(),
        namespace,
        policy: rounds({ fullContextTurns: 2, cachedContextTurns: 1 }),
        folding: 'worker',
      })
      return instance
    },
  })
  await expect.poll(async () => (await chat.info())!.segments).toBe(1)
  await chat.append([
    { role: 'user', text: 'question 4' },
    { role: 'assistant', text: 'answer 4' },
  ])
  await expect.poll(async () => (await chat.info())!.segments).toBe(2)
  await worker.close()
  await instance!.close()
  await store.close()
  await palimpsest.close()
})
