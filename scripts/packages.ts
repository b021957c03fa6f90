import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The packages that are published, as the build and its tests need to know them. */

export const ROOT = dirname(import.meta.dirname)

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

export interface Package {
  readonly manifest: Manifest
  /** Its sources. */
  readonly source: string
  /** Modules that are loaded by their path beside what the manifest names: threads, programs. Without `.ts`. */
  readonly entries: readonly string[]
  /** Files that are read as they are, as patterns in the sources. */
  readonly files: readonly string[]
  /** Small libraries that become part of it, so that whoever installs it installs nothing else. */
  readonly bundled: readonly string[]
  readonly bin?: string
}

function read(folder: string, more: Partial<Package> = {}): Package {
  const place = join(ROOT, 'packages', folder)
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest
  return { manifest, source: join(place, 'src'), entries: [], files: [], bundled: [], ...more }
}

export const PACKAGES: readonly Package[] = [
  read('palimpsest', {
    entries: [
      'bin',
      'store/sqlite/scrub-thread',
      'store/sqlite/backup-thread',
      'store/sqlite/long-work-thread',
      'finding/terms-thread',
    ],
    files: ['**/migrations/*.sql', '**/prompts/*.md'],
    bundled: ['stemmer'],
    bin: 'bin',
  }),
  read('server'),
  read('bot'),
  read('replay'),
  read('cli', { entries: ['program'] }),
]

const INTERNAL = /'((?:@palimpsest\/)?[a-z]+)\/internals\/([^']+)'/g

/** What the other packages use of each that is not public: only that is published of its inside. */
export function internalsOf({ manifest }: Package): readonly string[] {
  const used = new Set<string>()
  for (const { source } of PACKAGES)
    for (const file of globSync('**/*.ts', { cwd: source }).filter(name => !name.endsWith('.test.ts')))
      for (const [, name, path] of readFileSync(join(source, file), 'utf8').matchAll(INTERNAL))
        if (name === manifest.name) used.add(path!)
  return [...used].sort()
}

/** The modules of a package that others may load, without `.ts`. */
export function entriesOf(each: Package): readonly string[] {
  const exported = Object.values(each.manifest.exports)
    .filter(path => path.endsWith('.ts') && !path.includes('*'))
    .map(path => path.slice('./src/'.length, -'.ts'.length))
  return [...new Set([...exported, ...each.entries, ...internalsOf(each)])]
}

/** The manifest as it is published: of JavaScript and declarations in `dist`, where the repository's is of sources. */
export function publishedManifest({ manifest, bin }: Package): Record<string, unknown> {
  const { private: _, devDependencies: __, exports, ...rest } = manifest
  const built = Object.entries(exports).map(([subpath, path]) => {
    if (!path.endsWith('.ts')) return [subpath, path]
    const module = path.replace('./src/', './dist/').slice(0, -'.ts'.length)
    return [subpath, { types: `${module}.d.ts`, default: `${module}.js` }]
  })
  return {
    ...rest,
    ...(bin !== undefined && { bin: { palimpsest: `dist/${bin}.js` } }),
    exports: Object.fromEntries(built),
  }
}
