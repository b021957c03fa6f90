import type { Contestant, Finding, Grounds } from './contestant.ts'
import { mark, marksOf, missing, said } from './marks.ts'
import { ROWS } from './rows.ts'
import { settle, takeTurn } from './turn.ts'

const SUMMARY_MS = 1_500
const ARRIVALS = 5
const EVERY_MS = 150
const MOST_TURNS = 20

/** Five messages arrive, one every 150 ms, while a summary is written that takes 1.5 s. */
export async function appendedMeanwhile(contestant: Contestant, grounds: Grounds): Promise<Finding> {
  const { provider } = grounds
  const chat = await contestant.open(grounds)
  provider.summaryDelayMs = SUMMARY_MS
  const asked = Promise.withResolvers<void>()
  provider.onSummary = asked.resolve

  let number = 0
  let under = Promise.resolve()
  const state = { isAsked: false }
  asked.promise.then(() => {
    state.isAsked = true
  })
  while (!state.isAsked && number < MOST_TURNS) {
    number += 1
    under = chat.say(said(number))
    await Promise.race([under, asked.promise])
    // A summary in the background begins right after the turn.
    await Promise.race([asked.promise, new Promise(resolve => setTimeout(resolve, 30))])
  }
  const arrivals = await Promise.all(
    Array.from({ length: ARRIVALS }, async (_, index) => {
      await new Promise(resolve => setTimeout(resolve, index * EVERY_MS))
      return takeTurn(() => chat.say(said(number + 1 + index)), 10_000)
    }),
  )
  await under
  await settle(chat)
  provider.summaryDelayMs = 0
  const last = number + ARRIVALS + 1
  await chat.say(said(last))
  const request = provider.turns.at(-1) ?? ''
  const marks = marksOf(1, last - 1)
  const unseen = missing(marks, request)
  const places = await chat.kept()
  await chat.close()

  const nowhere = missing(unseen, Object.values(places).join('\n'))
  const twice = marks.filter(each => request.split(each).length > 2)
  const arrived = Array.from({ length: ARRIVALS }, (_, index) => mark(number + 1 + index))
  const slowest = Math.max(...arrivals.map(({ ms }) => ms))
  const failed = arrivals.filter(({ outcome }) => outcome !== 'answered')
  const detail = [
    `${unseen.length} of ${marks.length} messages not in the next request${unseen.length > 0 ? ` (${unseen.slice(0, 8).join(', ')})` : ''}`,
    `${arrived.filter(each => unseen.includes(each)).length} of the ${ARRIVALS} that arrived (K: said, R: the answer)`,
    `${nowhere.length} in no place`,
    `${twice.length} both raw and in the summary`,
    `the slowest of the ${ARRIVALS} turns took ${slowest} ms`,
    failed.length > 0 && `${failed.length} of them failed (${failed[0]!.error || 'held'})`,
  ]
    .filter(Boolean)
    .join('; ')
  const row = ROWS.meanwhile.only
  if (unseen.length > 0)
    return {
      row,
      verdict: 'wrong',
      short: `${unseen.length} of ${marks.length} ${nowhere.length > 0 ? 'in no place' : 'out of context'}`,
      detail,
    }
  if (failed.length > 0) return { row, verdict: 'wrong', short: `${failed.length} turns fail`, detail }
  // It waited for the summary, or for most of it.
  if (slowest > SUMMARY_MS / 2)
    return { row, verdict: 'stops', short: `nothing lost; waits ${(slowest / 1000).toFixed(1)} s`, detail }
  return { row, verdict: 'kept', short: 'nothing lost, none waits', detail }
}
