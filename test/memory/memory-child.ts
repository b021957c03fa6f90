/**
 * Writes into a chat's memory by tools, folds and the API, mirrors it as files, and says after each what it has
 * done, until it is done or kills itself at the given step.
 * Arguments: database file, folder, its name, number of rounds, step to die at (0: none), milliseconds by which
 * its clock is ahead.
 */
import { writeSync } from 'node:fs'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { count } from '../../packages/palimpsest/src/policy/index.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { SqliteDriver } from '../../packages/palimpsest/src/store/sqlite/driver.ts'
import { faultyDriver } from '../faults/fault-driver.ts'

const [file, folder, name, rounds, dieAt, ahead] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
]

const driver = faultyDriver(new SqliteDriver(file, { durability: 'normal' }), step => {
  if (step === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
})
const palimpsest = await createPalimpsest({
  store: new SqlStore(driver, () => {}),
  policy: count({ threshold: 20, keepLast: 1 }),
  folding: 'manual',
  workspace: folder,
  clock: () => Date.now() + Number(ahead),
})
const chat = palimpsest.session('chat', { user: 'ann' })
const say = (done: string) => writeSync(1, `${done}\n`)

// What one that died has left unfolded: of two such promises in one fold only one would be noted.
if ((await chat.count()) > 0) await chat.compact({ force: true })

for (let round = 1; round <= Number(rounds); round++) {
  const mark = (what: string) => `${what}-${name}-${round}-mark`
  await chat.append([
    { role: 'user', content: `We agreed to pay for the lemons of ${mark('fold')} by Friday.` },
    { role: 'assistant', content: 'I will tell the harbour office about it.' },
  ])
  const tools = await chat.memoryTools()
  await tools.execute('write_chat_memory', { section: 'Notes', content: `Know ${mark('note')}` })
  say(mark('note'))
  await palimpsest.syncWorkspace()
  const { outcome } = await chat.compact({ force: true })
  if (outcome === 'applied') say(mark('fold'))
  await chat.memory.append(`- by hand: ${mark('append')}`)
  say(mark('append'))
  await palimpsest.syncWorkspace()
}
await palimpsest.close()
