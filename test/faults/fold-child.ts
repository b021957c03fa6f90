/**
 * Folds a session once and says how it ended, unless it kills itself at the given step.
 * Arguments: address, PostgreSQL url, step to die at (0: none), milliseconds by which its clock is ahead, namespace.
 */
import { writeSync } from 'node:fs'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { count } from '../../packages/palimpsest/src/policy/index.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { driverFor } from './drivers.ts'
import { faultyDriver } from './fault-driver.ts'

const [address, postgresUrl, dieAt, ahead, namespace] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]

const driver = faultyDriver(driverFor(address, postgresUrl), step => {
  if (step === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
})
const palimpsest = await createPalimpsest({
  store: new SqlStore(driver, () => {}),
  policy: count({ threshold: 20, keepLast: 10 }),
  namespace,
  folding: 'manual',
  clock: () => Date.now() + Number(ahead),
})
const outcome = await palimpsest.session('shared').compact()
writeSync(1, `${JSON.stringify(outcome)}\n`)
await palimpsest.close()
