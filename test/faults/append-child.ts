/**
 * Appends messages one by one and says so after each, until it is done or kills itself at the given step.
 * Arguments: address, PostgreSQL url, writer's name, number of messages, step to die at (0: none).
 */
import { writeSync } from 'node:fs'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { driverFor } from './drivers.ts'
import { faultyDriver } from './fault-driver.ts'

const [address, postgresUrl, writer, messages, dieAt] = process.argv.slice(2) as [
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
  folding: 'manual',
  indexing: 'off',
})
const chat = palimpsest.session('shared')
for (let index = 1; index <= Number(messages); index++) {
  const externalId = `${writer}-${index}`
  const started = performance.now()
  const result = await chat.append({
    role: 'user',
    content: `from ${externalId}`,
    sender: writer,
    externalId,
  })
  const waited = Math.round(performance.now() - started)
  writeSync(1, `${JSON.stringify({ externalId, seq: result.messages[0]!.seq, waited })}\n`)
}
await palimpsest.close()
