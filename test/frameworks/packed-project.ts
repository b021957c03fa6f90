import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildInto } from '../built-once.ts'

const root = dirname(dirname(import.meta.dirname))

/** What npm would publish. */
export interface Tarball {
  readonly file: string
  /** Paths of what is in it. */
  readonly files: readonly string[]
  remove(): void
}

/** Built in a place of its own: tests that run side by side do not meet in `dist`. */
export function packTarball(): Tarball {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-pack-'))
  for (const name of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'docs'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  buildInto(join(folder, 'dist'))
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const packed = JSON.parse(output)
  const [entry] = Array.isArray(packed) ? packed : Object.values<(typeof packed)[number]>(packed)
  return {
    file: join(folder, entry.filename),
    files: entry.files.map((file: { path: string }) => file.path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** An empty project with the package in it, as a newcomer has it. */
export interface Project {
  readonly folder: string
  /** Makes a development dependency of ours one of the project, with what it needs itself. */
  install(...names: readonly string[]): void
  remove(): void
}

export function emptyProject({ file }: Tarball): Project {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-project-'))
  const installed = join(folder, 'node_modules', 'palimpsest')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', file, '-C', installed, '--strip-components=1'])
  const install = (...names: readonly string[]) => {
    for (const name of names) {
      const link = join(folder, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), link)
    }
  }
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  install(...Object.keys(manifest.dependencies))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return { folder, install, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The code blocks of a page. */
export function codeBlocks(page: string, language: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(match => match[1]!)
}
