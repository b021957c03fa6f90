import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGES, ROOT } from './packages.ts'

/** What a project installs, as long as the packages are in no registry: `tarballs/*.tgz`, of what `npm run build` made. */
mkdirSync(join(ROOT, 'tarballs'), { recursive: true })
const places = PACKAGES.map(({ manifest }) => `./dist/node_modules/${manifest.name}`)
execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', 'tarballs', ...places], {
  cwd: ROOT,
  stdio: ['ignore', 'inherit', 'ignore'],
  shell: process.platform === 'win32',
})
