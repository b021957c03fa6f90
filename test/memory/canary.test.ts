import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Store, sqlite } from '../../packages/palimpsest/src/index.ts'
import { decodeId, documentOf } from '../../packages/palimpsest/src/memory/workspace/file-names.ts'
import { dailyKey, type LayerName } from '../../packages/palimpsest/src/store/index.ts'
import { runs } from '../runs.ts'
import { setting, step, World } from './canary-world.ts'
import { Clock, temporaryFolder } from './kit.ts'

const HISTORIES = runs(250, 2_500)
const WITH_FILES = runs(12, 100)
const MAX_STEPS = 10

/** A namespace each: so nothing crosses from one history to another either. */
let run = 0
let store: Store
let position: string | null = null

beforeAll(async () => {
  store = sqlite(':memory:', { durability: 'normal' })
  await store.open()
})

afterAll(() => store.close())

const history = fc.record({ setting, steps: fc.array(step, { minLength: 3, maxLength: MAX_STEPS }) })

async function checkEvents(): Promise<void> {
  for (;;) {
    const events = await store.events.readEvents({ after: position, limit: 1_000 })
    expect(JSON.stringify(events)).not.toContain('zq')
    if (events.length === 0) return
    position = events.at(-1)!.position
  }
}

describe('a canary', () => {
  it('is in no context, tool result, document or event that its audience has no part in', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ setting, steps }) => {
        run += 1
        const clock = new Clock()
        const world = await World.open({ store, clock, run, setting })
        for (const step of steps) {
          clock.pass({ hours: 1 })
          await world.play(step)
        }
        await world.check()
        await checkEvents()
      }),
      { numRuns: HISTORIES },
    )
  })

  it('is in no file of anybody else, nor what a person writes into a file anywhere else', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.nat(99), async ({ setting, steps }, which) => {
        run += 1
        const folder = temporaryFolder()
        const own = sqlite(':memory:', { durability: 'normal' })
        const clock = new Clock()
        const world = await World.open({ store: own, clock, run, setting, workspace: folder.path })
        try {
          for (const step of steps) await world.play(step)
          await world.palimpsest.syncWorkspace()
          editFile(world, folder.path, which)
          await world.palimpsest.syncWorkspace()
          for (const { document, text } of readFiles(folder.path)) world.checkFile(document, text)
          await world.check()
        } finally {
          await world.palimpsest.close()
          folder.remove()
        }
      }),
      { numRuns: WITH_FILES },
    )
  })
})

interface FileText {
  readonly path: string
  readonly document: { readonly layer: LayerName; readonly key: string }
  readonly text: string
}

/** A day's file holds a section for each chat: what stands in one is that chat's. */
function readFiles(folder: string): readonly FileText[] {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.md'))
    .map(entry => join(entry.parentPath, entry.name))
  return paths.flatMap((path): FileText[] => {
    const name = documentOf(path.slice(folder.length + 1))!
    const text = readFileSync(path, 'utf8')
    if (name.layer !== 'daily') return [{ path, document: name, text }]
    const { day } = name
    return text
      .split(/^(?=## )/m)
      .slice(1)
      .map(section => {
        const id = decodeId(section.slice(3, section.indexOf('\n')))!
        return { path, document: { layer: 'daily' as const, key: dailyKey(day, id) }, text: section }
      })
  })
}

function editFile(world: World, folder: string, which: number): void {
  const files = readFiles(folder).filter(({ document }) => document.layer !== 'daily')
  if (files.length === 0) return
  const { path, document } = files[which % files.length]!
  appendFileSync(path, `\n- by hand: ${world.writtenInto(document)}\n`)
}
