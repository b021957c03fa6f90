import { expect, test } from 'vitest'
import { scripted } from '../folding-kit.ts'
import { Crowd, HeldSummarizer, say } from './kit.ts'

const IDLE_MS = 300_000

/** Says the words of its messages that the tests look for. */
function telling() {
  return scripted({
    summarize: ({ messages }) => ({
      text: messages.map(({ content }) => `- ${String(content).slice(0, 40)}`).join('\n'),
    }),
  })
}

test('segments over edited messages are made anew by a worker, once their time has come', async () => {
  let now = Date.now()
  const clock = () => now
  await using crowd = await Crowd.gather()
  const server = await crowd.server({ clock })
  const { summarizer, calls } = telling()
  const { worker, errors } = await crowd.worker({ summarizer, clock }, { clock })
  await say(server, 'a', 1, 11)
  const chat = server.session('a')
  await expect.poll(async () => (await chat.info())!.segments).toBe(1)
  await expect.poll(() => crowd.place.openJobs()).toEqual([])
  const text = `Oak Avenue 99 ${'and the lemons sail '.repeat(20)}`
  await chat.edit(1, text)
  await worker.sweep()
  expect(await crowd.place.openJobs()).toEqual([])
  expect(JSON.stringify((await chat.context()).messages)).toContain('now says: Oak Avenue 99')
  now += IDLE_MS
  await worker.sweep()
  await expect.poll(async () => (await chat.segments())[0]).toMatchObject({ state: 'live' })
  expect(calls).toHaveLength(2)
  expect((await chat.segments())[0]!.text).toContain('Oak Avenue 99')
  expect(JSON.stringify((await chat.context()).messages)).not.toContain('now says')
  await expect.poll(() => crowd.place.openJobs()).toEqual([])
  await worker.sweep()
  expect(await crowd.place.openJobs()).toEqual([])
  expect(errors).toEqual([])
})

test('a worker that stops in the middle leaves it to another, and appends wait for neither', async () => {
  let now = Date.now()
  const clock = () => now
  await using crowd = await Crowd.gather()
  const server = await crowd.server({ clock })
  const first = await crowd.worker({ summarizer: telling().summarizer, clock }, { clock })
  await say(server, 'a', 1, 11)
  const chat = server.session('a')
  await expect.poll(async () => (await chat.info())!.segments).toBe(1)
  await first.close()
  await chat.edit(1, `Oak Avenue 99 ${'and the lemons sail '.repeat(20)}`)
  now += IDLE_MS
  const held = new HeldSummarizer()
  const hanging = await crowd.worker({ summarizer: held.summarizer, clock }, { clock, stopMs: 10 })
  await expect.poll(() => held.calls).toBe(1)
  await say(server, 'a', 12, 13)
  expect((await chat.segments())[0]).toMatchObject({ state: 'dirty' })
  await hanging.close()
  await crowd.worker({ summarizer: telling().summarizer, clock }, { clock })
  await expect
    .poll(async () => (await chat.segments())[0], { timeout: 20_000 })
    .toMatchObject({ state: 'live' })
  expect((await chat.segments())[0]!.text).toContain('Oak Avenue 99')
})
