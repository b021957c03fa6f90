import { execFileSync } from 'node:child_process'
import { PACKAGES, ROOT } from './packages.ts'

/** What a project installs, as long as the packages are in no registry: `dist/*.tgz`, of what `npm run build` made. */
const places = PACKAGES.map(({ manifest }) => `./dist/node_modules/${manifest.name}`)
execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', 'dist', ...places], {
  cwd: ROOT,
  stdio: ['ignore', 'inherit', 'ignore'],
  shell: process.platform === 'win32',
})
