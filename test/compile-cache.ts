import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const MODULES = [
  '../packages/palimpsest/src/index.ts',
  '../packages/palimpsest/src/store/postgres/index.ts',
  'pg',
]

/**
 * Some 600 of the tests' processes are started on our TypeScript: without a cache of what Node made of it, most of
 * their time is spent on the types. It is kept by content, so that a changed file is read anew.
 */
export default async function setup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/node-compile-cache')
  // Whoever is killed leaves nothing in it: so the first of all ends by itself.
  const script = MODULES.map(name => `import ${JSON.stringify(specifier(name))}`).join('\n')
  await promisify(execFile)(process.execPath, ['--input-type', 'module', '--eval', script], {
    cwd: import.meta.dirname,
  })
}

function specifier(name: string): string {
  return name.startsWith('.') ? new URL(name, import.meta.url).href : name
}
