import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Plugin } from 'vite'

const root = resolve(import.meta.dirname, '../..')
const [source, built, tests] = ['src', 'dist', 'test'].map(name => join(root, name) + sep) as [
  string,
  string,
  string,
]

/** Modules of the sources that are published as part of others. */
const PART_OF: Readonly<Record<string, string>> = {
  'palimpsest.js': 'index.js',
  'session.js': 'index.js',
  'errors.js': 'index.js',
}

/**
 * What a test imports of the sources comes from the built package, where that has it. What is not published (a table
 * that a test compares with, a key that it makes) still comes from the sources.
 */
export function builtPackage(): Plugin {
  return {
    name: 'built-package',
    enforce: 'pre',
    resolveId(id, importer) {
      if (!id.startsWith('.') || !importer?.startsWith(tests)) return null
      const file = resolve(dirname(importer), id)
      if (!file.startsWith(source) || !file.endsWith('.ts')) return null
      const name = relative(source, file).split(sep).join('/').replace(/\.ts$/, '.js')
      const target = join(built, PART_OF[name] ?? name)
      // By its address, so that Node loads it as it loads a package.
      return existsSync(target) ? { id: target, external: true } : null
    },
  }
}
