/**
 * Holds a conversation until it is killed. Each message that was acknowledged is written down at once.
 * Arguments: contestant, folder, moment: `summary` (it kills itself as the summary is asked for), `write:N` (before
 * its N-th write after that; 0: not at all, and it says how many there were), `outside` (it waits for its end).
 */
import './loopback-only.ts'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContestantName } from './contestant.ts'
import { loadContestant } from './contestants/index.ts'
import { beforeEachWrite } from './count-writes.ts'
import { mark, marksSaid, said } from './marks.ts'
import { startProvider } from './provider.ts'
import { settle } from './turn.ts'

const [name, folder, moment] = process.argv.slice(2) as [ContestantName, string, string]
const LONGEST_MS = 15_000
const MOST_TURNS = 2_000

// Whoever started it may be gone.
process.on('disconnect', () => process.exit(1))
setTimeout(() => process.exit(1), LONGEST_MS).unref()

const die = () => process.kill(process.pid, 'SIGKILL')
const dieAtWrite = moment.startsWith('write:') ? Number(moment.slice('write:'.length)) : null
let isCounting = false
let writes = 0
if (dieAtWrite !== null)
  beforeEachWrite(name, () => {
    if (!isCounting) return
    writes += 1
    if (writes === dieAtWrite) die()
  })

const contestant = await loadContestant(name)
const provider = await startProvider(contestant)
provider.onSummary = () => {
  if (moment === 'summary') die()
  isCounting = true
}
const chat = await contestant.open({ folder, provider, fault: 'killed' })
for (let number = 1; number <= MOST_TURNS; number += 1) {
  await chat.say(said(number % 1_000))
  appendFileSync(join(folder, 'acknowledged'), `${mark(number)}\n${mark(number, 'R')}\n`)
  if (moment === 'outside') {
    process.send?.(number)
    continue
  }
  await settle(chat)
  // Once the model is no longer shown the first message as it was said, the compaction is over.
  if (isCounting && !marksSaid(provider.turns.at(-1)!).includes(mark(1))) {
    writeFileSync(join(folder, 'writes'), String(writes))
    break
  }
}
process.exit(0)
