import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const CACHE = join(ROOT, 'node_modules/.cache/palimpsest-dist')
const KEPT_MS = 24 * 3_600_000
/** All that a build is made of, the versions of its tools included; tests are no part of it. */
const INPUTS = [
  ...['packages/*/src/**/*', 'packages/*/*.{json,md}', 'scripts/{build*,packages}.ts', 'tsconfig*.json'],
  ...['package.json', 'package-lock.json', 'docs/**/*', '*.md', 'LICENSE'],
]

/** Puts into the folder what `npm run build` makes. What was built of the same sources before is copied. */
export function buildInto(target: string): void {
  const built = join(CACHE, hashOfInputs())
  if (!existsSync(built)) build(built)
  rmSync(target, { recursive: true, force: true })
  cpSync(built, target, { recursive: true })
}

/** Under its name it is whole at once: another process may build the same meanwhile. */
function build(built: string): void {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'building-'))
  try {
    execFileSync(process.execPath, ['scripts/build.ts', join(folder, 'dist')], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    renameSync(join(folder, 'dist'), built)
    removeOld()
  } catch (error) {
    if (!existsSync(built)) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Of sources that have changed since; another run may still copy what is new. */
function removeOld(): void {
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name)
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (mtimeMs < Date.now() - KEPT_MS) rmSync(folder, { recursive: true, force: true })
  }
}

function hashOfInputs(): string {
  const hash = createHash('sha256')
  const files = globSync(INPUTS, { cwd: ROOT, withFileTypes: true }).filter(
    entry => entry.isFile() && !entry.name.endsWith('.test.ts'),
  )
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash
      .update(`${path.slice(ROOT.length)}\0`)
      .update(readFileSync(path))
      .update('\0')
  return hash.digest('hex').slice(0, 32)
}
