import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = dirname(import.meta.dirname)
let compiled: string | null = null

/**
 * The packages as users get them, as JavaScript, so that children do not measure the stripping of types.
 * Into the temporary folder: `dist` may be stale, or just being written. Answers with the address of the library's entry.
 */
export function compileLibrary(folder: string): string {
  if (compiled !== null) return compiled
  const built = join(folder, 'built')
  const entry = join(built, 'node_modules/palimpsest/dist/index.js')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  try {
    execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts'), built], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } catch (error) {
    // Types that are wrong are for `npm run check` to tell; the JavaScript is there before they are looked at.
    if (!existsSync(entry)) throw error
  }
  compiled = pathToFileURL(entry).href
  return compiled
}
