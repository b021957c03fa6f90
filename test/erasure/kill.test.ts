import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../runs.ts'
import { ANN, expectUnseen, fill, othersOf, World } from './world.ts'

/** Longer than any lease. */
const LATER_MS = 400_000
const AT_A_TIME = 3
/** There are thousands of steps: a run takes some of them, from a random one on. */
const DEATHS = runs(4, 15)

let template: World
let others: unknown

beforeAll(async () => {
  template = new World()
  const palimpsest = await template.open()
  await fill(palimpsest)
  others = await othersOf(palimpsest)
  await palimpsest.close()
})

afterAll(() => template.remove())

function copy(): World {
  const world = new World()
  cpSync(template.root, world.root, { recursive: true })
  return world
}

interface Ended {
  readonly signal: NodeJS.Signals | null
  readonly said: readonly string[]
  readonly stderr: string
}

function start(world: World, dieAt: number): { child: ChildProcess; said: string[]; ended: Promise<Ended> } {
  const script = fileURLToPath(new URL('./erase-child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, world.file, world.folder, ANN, String(dieAt), '0'])
  const said: string[] = []
  let stderr = ''
  child.stdout.on('data', chunk => said.push(...String(chunk).trim().split('\n')))
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const ended = new Promise<Ended>(resolve => {
    child.on('close', (_, signal) => resolve({ signal, said, stderr }))
  })
  return { child, said, ended }
}

/** Whoever comes next ends what was begun, down to the last byte; and nobody else has lost anything. */
async function expectTakenUp(world: World, said: readonly string[]): Promise<void> {
  const palimpsest = await world.open({ clock: () => Date.now() + LATER_MS })
  palimpsest.resumeErasures()
  // Once somebody was told that it can be seen no more, it cannot.
  if (said.includes('forgotten')) await expectUnseen(palimpsest)
  const begun = await palimpsest.erasure(1)
  const { id } = begun ?? (await palimpsest.forget({ kind: 'person', id: ANN }))
  expect(await palimpsest.erased(id)).toMatchObject({ done: true })
  await expectUnseen(palimpsest)
  expect(world.found()).toEqual({})
  expect(await othersOf(palimpsest)).toEqual(others)
  await palimpsest.syncWorkspace()
  await palimpsest.close()
  expect(world.found()).toEqual({})
  expect(world.errors).toEqual([])
}

function stepsOf(said: readonly string[]): number {
  return Number(said.at(-1)!.split(' ')[1])
}

async function dieAtStep(dieAt: number): Promise<void> {
  const world = copy()
  const { signal, said } = await start(world, dieAt).ended
  // What takes too long at a stretch is begun anew: one process comes to a few more steps than another.
  if (signal === null) expect(stepsOf(said)).toBeLessThan(dieAt)
  else expect(signal).toBe('SIGKILL')
  await expectTakenUp(world, said)
  await world.remove()
}

describe('kill -9', () => {
  it('at the steps of an erasure: the next process ends it', async () => {
    const whole = copy()
    const { said, stderr } = await start(whole, 0).ended
    expect(stderr).toBe('')
    expect(said.slice(0, -1)).toEqual(['erasing', 'rebuilding', 'files', 'forgotten', 'scrubbing', 'done'])
    expect(whole.found()).toEqual({})
    await whole.remove()
    const steps = stepsOf(said)
    expect(steps).toBeGreaterThan(500)
    const stride = Math.floor(steps / DEATHS)
    const first = 1 + Math.floor(Math.random() * stride)
    for (let step = first; step < steps - stride; step += stride * AT_A_TIME) {
      const some = Array.from({ length: AT_A_TIME }, (_, index) => step + index * stride)
      await Promise.all(some.filter(each => each < steps).map(dieAtStep))
    }
  })

  it('at any moment of the last stages, the scrub among them', async () => {
    for (let round = 0; round < 4; round++) {
      const world = copy()
      const { child, said, ended } = start(world, 0)
      const isOver = () => said.includes(round % 2 === 0 ? 'files' : 'scrubbing') || child.exitCode !== null
      while (!isOver()) await new Promise(resolve => setImmediate(resolve))
      for (let pause = 0; pause < round * 300; pause++) await new Promise(resolve => setImmediate(resolve))
      child.kill('SIGKILL')
      await expectTakenUp(world, (await ended).said)
      await world.remove()
    }
  })
})
