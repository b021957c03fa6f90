import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createPalimpsest, sqlite } from '../../packages/palimpsest/src/index.ts'
import { normalizeMarkdown } from '../../packages/palimpsest/src/memory/document/index.ts'
import { fileOf } from '../../packages/palimpsest/src/memory/workspace/index.ts'
import { parseFile } from '../../packages/palimpsest/src/memory/workspace/workspace-file.ts'
import { stride } from '../runs.ts'
import { temporaryFolder } from './kit.ts'

describe('kill -9', () => {
  it('at the steps of writing, folding and mirroring loses nothing that was acknowledged', async () => {
    const first = 1 + Math.floor(Math.random() * STRIDE)
    for (let step = first; ; step += STRIDE * AT_A_TIME) {
      const steps = Array.from({ length: AT_A_TIME }, (_, index) => dieAtStep(step + index * STRIDE))
      if ((await Promise.all(steps)).every(Boolean)) continue
      expect(step).toBeGreaterThan(100)
      return
    }
  })

  it('at any moment leaves whole files, and a restart brings them into line', async () => {
    const home = new Home()
    for (let round = 1; round <= 8; round++) {
      const { child, ended } = home.start({ name: `r${round}`, rounds: 1_000, ahead: round * LATER_MS })
      await home.grown()
      for (let pause = 0; pause < round * 7; pause++) await new Promise(resolve => setImmediate(resolve))
      child.kill('SIGKILL')
      expect((await ended).signal).toBe('SIGKILL')
      await home.check((round + 1) * LATER_MS)
    }
    home.remove()
  })
})

const AT_A_TIME = 4
/** There are some 180 steps: a run takes every ninth of them (a long one every third), from a random one on. */
const STRIDE = stride(9, 3)
/** Longer than any lease. */
const LATER_MS = 400_000

/** Whether the process died there, and not of old age. */
async function dieAtStep(dieAt: number): Promise<boolean> {
  const home = new Home()
  const { signal, stderr } = await home.start({ name: 'w', rounds: 1, dieAt }).ended
  await home.check(LATER_MS)
  home.remove()
  if (signal === null) expect(stderr).toBe('')
  return signal === 'SIGKILL'
}

/** A database and a folder that processes work on, die at, and take up again. */
class Home {
  readonly #root = temporaryFolder()
  readonly #file = join(this.#root.path, 'test.db')
  readonly #folder = join(this.#root.path, 'files')
  readonly #acknowledged: string[] = []

  start(options: { name: string; rounds: number; dieAt?: number; ahead?: number }) {
    const { name, rounds, dieAt = 0, ahead = 0 } = options
    const script = fileURLToPath(new URL('./memory-child.ts', import.meta.url))
    const args = [script, this.#file, this.#folder, name, String(rounds), String(dieAt), String(ahead)]
    const child = spawn(process.execPath, args)
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', chunk => {
      stdout += chunk
      // A line that was cut off was not said.
      const lines = stdout.split('\n')
      stdout = lines.pop()!
      this.#acknowledged.push(...lines)
    })
    child.stderr.on('data', chunk => {
      stderr += chunk
    })
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>(
      resolve => {
        child.on('close', (code, signal) => resolve({ code, signal, stderr }))
      },
    )
    return { child, ended }
  }

  /** Resolves when some more was acknowledged: then it is in the middle of something. */
  async grown(): Promise<void> {
    const before = this.#acknowledged.length
    while (this.#acknowledged.length < before + 6) await new Promise(resolve => setImmediate(resolve))
  }

  async check(ahead: number): Promise<void> {
    for (const path of this.#files())
      expect(readFileSync(path, 'utf8')).toMatch(/<!-- palimpsest: end of the file -->\n$/)
    const clock = () => Date.now() + ahead
    const store = sqlite(this.#file, { durability: 'normal' })
    await using palimpsest = await createPalimpsest({
      store,
      folding: 'manual',
      workspace: this.#folder,
      clock,
    })
    await palimpsest.syncWorkspace()
    expect(await palimpsest.syncWorkspace()).toEqual({ written: 0, read: 0, setAside: 0 })
    const chat = palimpsest.session('chat')
    const versions = await chat.memory.versions({ limit: 10_000 })
    expect(versions.map(({ version }) => version)).toEqual(
      versions.map((_, index) => versions.length - index),
    )
    const everything = versions.map(({ content }) => content).join('\n')
    expect(this.#acknowledged.filter(mark => !everything.includes(mark))).toEqual([])
    const document = await chat.memory.read()
    if (document === null) return
    const text = normalizeMarkdown(
      readFileSync(join(this.#folder, fileOf({ layer: 'chat', key: 'chat' })), 'utf8'),
    )
    expect(parseFile({ layer: 'chat', key: 'chat' }, text).parts).toMatchObject([
      { content: normalizeMarkdown(document.content) },
    ])
    expect(
      readdirSync(this.#folder, { recursive: true }).filter(name => String(name).endsWith('.tmp')),
    ).toEqual([])
  }

  #files(): readonly string[] {
    if (!existsSync(this.#folder)) return []
    return readdirSync(this.#folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && entry.name.endsWith('.md'))
      .map(entry => join(entry.parentPath, entry.name))
  }

  remove(): void {
    this.#root.remove()
  }
}
