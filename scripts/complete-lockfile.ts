import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Where a registry mirrors the packages of one platform only, the lockfile lacks the others' optional ones,
 * and `npm ci` refuses it. This adds them as stubs: version, platform, optional. Run it after `npm install`.
 */
interface Entry {
  version?: string
  optional?: boolean
  os?: string[]
  cpu?: string[]
  dev?: boolean
  optionalDependencies?: Record<string, string>
}

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }
const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const PROCESSORS = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]

let added = 0
for (const [path, entry] of Object.entries({ ...lock.packages }))
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
    if (places.some(place => lock.packages[place])) continue
    const words = name.split(/[-/]/)
    const os = SYSTEMS.filter(system => words.includes(system))
    const cpu = PROCESSORS.filter(processor => words.includes(processor)).slice(0, 1)
    lock.packages[`node_modules/${name}`] = {
      version: range.replace(/^[~^]/, ''),
      ...(cpu.length > 0 && { cpu }),
      dev: true,
      optional: true,
      ...(os.length > 0 && { os }),
    }
    added += 1
  }
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
console.log(`${added} entries added`)
