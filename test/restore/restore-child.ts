import { restoreSqlite } from '../../packages/palimpsest/src/restore/restore-sqlite.ts'
import { openInstance } from './kit.ts'

/** Restores, and ends as a kill does after one of its steps. */
const [backup, path, last] = process.argv.slice(2) as [string, string, string]
await restoreSqlite({
  ...{ backup, path, open: openInstance },
  onStep: step => {
    if (step === last) process.kill(process.pid, 'SIGKILL')
  },
})
