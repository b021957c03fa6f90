import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = dirname(import.meta.dirname)
let compiled: string | null = null

/**
 * The library as users get it, as JavaScript, so that children do not measure the stripping of types.
 * Into the temporary folder: `dist` may be stale, or just being written. Answers with the entry's address.
 */
export function compileLibrary(folder: string): string {
  if (compiled !== null) return compiled
  const library = join(folder, 'palimpsest')
  const out = join(library, 'dist')
  mkdirSync(library)
  copyFileSync(join(ROOT, 'package.json'), join(library, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(library, 'node_modules'))
  try {
    execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts'), out], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } catch (error) {
    // Types that are wrong are for `npm run check` to tell; the JavaScript is there before they are looked at.
    if (!existsSync(join(out, 'index.js'))) throw error
  }
  compiled = pathToFileURL(join(out, 'index.js')).href
  return compiled
}
