/**
 * Erases a person and says how far it is, until it is done or kills itself at the given step.
 * Arguments: database file, folder, the person's id, step to die at (0: none), milliseconds by which its clock is ahead.
 */
import { writeSync } from 'node:fs'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { SqliteDriver } from '../../packages/palimpsest/src/store/sqlite/driver.ts'
import { faultyDriver } from '../faults/fault-driver.ts'

const [file, folder, person, dieAt, ahead] = process.argv.slice(2) as [string, string, string, string, string]

let steps = 0
const driver = faultyDriver(new SqliteDriver(file, { durability: 'normal' }), step => {
  steps = step
  if (step === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
})
const palimpsest = await createPalimpsest({
  store: new SqlStore(driver, () => {}),
  folding: 'manual',
  workspace: folder,
  clock: () => Date.now() + Number(ahead),
  onErasure: ({ stage }) => writeSync(1, `${stage}\n`),
})
const { id } = await palimpsest.forget({ kind: 'person', id: person })
writeSync(1, 'forgotten\n')
await palimpsest.erased(id)
await palimpsest.close()
writeSync(1, `steps ${steps}\n`)
