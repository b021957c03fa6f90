import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Compiles `src` into `dist` and takes along what is not TypeScript: the migrations and the prompts. */
const root = dirname(import.meta.dirname)
process.chdir(root)
rmSync('dist', { recursive: true, force: true })
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
for (const file of globSync(['src/**/migrations/*.sql', 'src/**/prompts/*.md']))
  cpSync(file, join('dist', file.slice('src/'.length)))
chmodSync('dist/cli/main.js', 0o755)
