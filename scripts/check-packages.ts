import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { PACKAGES, ROOT } from './packages.ts'

/** Whether what `npm run build` made can be installed and imported, types included, package by package. */
for (const { manifest } of PACKAGES) {
  const folder = join(ROOT, 'dist/node_modules', manifest.name)
  console.log(manifest.name)
  run('publint', '--strict', folder)
  run('attw', '--pack', folder, '--profile', 'esm-only')
}

function run(tool: string, ...args: readonly string[]): void {
  execFileSync(join(ROOT, 'node_modules/.bin', tool), args, { cwd: ROOT, stdio: 'inherit' })
}
