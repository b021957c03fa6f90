import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { Crowd, say } from './kit.ts'

const CHILD = fileURLToPath(new URL('./worker-child.ts', import.meta.url))
/** Less than the queue needs to notice that a worker is gone. */
const LEASE_MS = 2_000

type Told = { ready?: true; outcome?: string; reason?: string; fromSeq?: number; toSeq?: number }

interface Child {
  readonly process: ChildProcess
  readonly told: Told[]
}

const summary = (text: string) => JSON.stringify({ summary: text, events: [], details: [], memo: {} })

test('a worker that was paused past its lease can commit nothing', { timeout: 180_000 }, async () => {
  await using crowd = await Crowd.gather({ retryLimit: 5, retryDelay: 1 })
  const server = await crowd.server()
  const release = Promise.withResolvers<void>()
  await using model = await startModelServer({
    reply: async (_, index) => {
      if (index > 0) return summary('As the second has it: forty crates of lemons for Porto.')
      await release.promise
      return summary('As the first has it: forty crates of lemons for Porto.')
    },
  })
  const start = (): Child => {
    const { url, schema } = crowd.place
    const child = spawn(process.execPath, [CHILD, url, schema, model.url, String(LEASE_MS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const told: Told[] = []
    createInterface(child.stdout).on('line', line => told.push(JSON.parse(line)))
    crowd.onClose(async () => child.kill('SIGKILL'))
    return { process: child, told }
  }
  const isReady = ({ told }: Child) => told.some(({ ready }) => ready)
  const session = server.session('a')

  const first = start()
  await expect.poll(() => isReady(first)).toBe(true)
  await say(server, 'a', 1, 11)
  await expect.poll(() => model.requests.length).toBe(1)
  first.process.kill('SIGSTOP')
  const second = start()
  await expect.poll(() => isReady(second)).toBe(true)
  // The queue notices after ten seconds; the lease has run out long before.
  await expect.poll(async () => (await session.info())!.segments, { timeout: 90_000 }).toBe(1)
  const [folded, log] = [await session.segments(), await session.messages()]
  expect(folded).toMatchObject([
    { fromSeq: 1, toSeq: 9, summary: expect.stringContaining('As the second has it') },
  ])

  expect(log.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])

  release.resolve()
  first.process.kill('SIGCONT')
  await expect.poll(() => first.told.find(({ outcome }) => outcome === 'skipped')).toBeDefined()
  // Refused by the store, or not even tried since the queue had told it that another has it.
  expect(first.told.filter(({ outcome }) => outcome === 'applied')).toEqual([])
  expect(['lease_lost', 'epoch_conflict', 'aborted']).toContain(
    first.told.find(({ outcome }) => outcome === 'skipped')?.reason,
  )
  expect(await session.segments()).toEqual(folded)
  expect(await session.messages()).toEqual(log)
  expect(model.requests).toHaveLength(2)
  await expect.poll(() => crowd.place.openJobs()).toEqual([])

  // It is none the worse for it.
  second.process.kill('SIGKILL')
  await say(server, 'a', 12, 20)
  await expect.poll(async () => (await session.info())!.segments).toBe(2)
  expect(first.told.at(-1)).toMatchObject({ outcome: expect.stringMatching(/applied|skipped/) })
})
