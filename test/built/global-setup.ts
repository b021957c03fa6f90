import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Makes `dist`, as it is published. */
export default function setup(): void {
  const root = join(import.meta.dirname, '../..')
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
