import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Plugin } from 'vite'
import { PACKAGES, ROOT } from '../../scripts/packages.ts'

const tests = join(ROOT, 'test') + sep

/**
 * What a test imports of the sources comes from the built packages, where they have it. What is not published (a table
 * that a test compares with, a key that it makes) still comes from the sources.
 */
export function builtPackage(): Plugin {
  return {
    name: 'built-package',
    enforce: 'pre',
    resolveId(id, importer) {
      if (!id.startsWith('.') || !importer?.startsWith(tests)) return null
      const file = resolve(dirname(importer), id)
      const from = PACKAGES.find(({ source }) => file.startsWith(source + sep))
      if (from === undefined || !file.endsWith('.ts')) return null
      const { manifest, source } = from
      const name = relative(source, file).split(sep).join('/').replace(/\.ts$/, '.js')
      const target = join(ROOT, 'dist/node_modules', manifest.name, 'dist', name)
      // By its address, so that Node loads it as it loads a package.
      return existsSync(target) ? { id: target, external: true } : null
    },
  }
}
