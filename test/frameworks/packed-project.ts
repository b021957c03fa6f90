import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PACKAGES } from '../../scripts/packages.ts'
import { buildInto } from '../built-once.ts'

const root = dirname(dirname(import.meta.dirname))

/** What npm would publish of one package. */
interface Tarball {
  readonly name: string
  readonly file: string
  /** Paths of what is in it. */
  readonly files: readonly string[]
}

export interface Tarballs {
  /** Of each package, by its name. */
  of(name: string): Tarball
  readonly all: readonly Tarball[]
  remove(): void
}

/** Built in a place of its own: tests that run side by side do not meet in `dist`. */
export function packTarballs(): Tarballs {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-pack-'))
  buildInto(join(folder, 'dist'))
  const places = PACKAGES.map(({ manifest }) => `./dist/node_modules/${manifest.name}`)
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', ...places], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const packed = JSON.parse(output)
  const entries = Array.isArray(packed) ? packed : Object.values<(typeof packed)[number]>(packed)
  const all = entries.map(
    (entry): Tarball => ({
      name: entry.name,
      file: join(folder, entry.filename),
      files: entry.files.map((file: { path: string }) => file.path),
    }),
  )
  return {
    all,
    of: name => all.find(each => each.name === name)!,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** An empty project with the packages in it, as a newcomer has it. */
export interface Project {
  readonly folder: string
  /** Makes a development dependency of ours one of the project, with what it needs itself. */
  install(...names: readonly string[]): void
  remove(): void
}

export function emptyProject(
  tarballs: Tarballs,
  names: readonly string[] = tarballs.all.map(({ name }) => name),
): Project {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-project-'))
  const install = (...wanted: readonly string[]) => {
    for (const name of wanted) {
      const link = join(folder, 'node_modules', name)
      if (existsSync(link)) continue
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), link)
    }
  }
  for (const name of names) {
    const installed = join(folder, 'node_modules', name)
    mkdirSync(installed, { recursive: true })
    execFileSync('tar', ['-xzf', tarballs.of(name).file, '-C', installed, '--strip-components=1'])
  }
  for (const name of names) {
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
    install(...Object.keys(manifest.dependencies ?? {}))
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return { folder, install, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The code blocks of a page. */
export function codeBlocks(page: string, language: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(match => match[1]!)
}
