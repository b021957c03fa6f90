import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, writeFileSync } from 'node:fs'
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
  const out = join(folder, 'dist')
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', out], { cwd: ROOT })
  } catch (error) {
    // It writes its output in spite of errors; those are for `npm run check` to tell.
    if (!existsSync(join(out, 'index.js'))) throw error
  }
  for (const file of globSync('src/**/*.sql', { cwd: ROOT }))
    cpSync(join(ROOT, file), join(out, file.slice('src/'.length)))
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }')
  compiled = pathToFileURL(join(out, 'index.js')).href
  return compiled
}
