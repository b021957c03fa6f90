import type { Contestant, Finding, Grounds } from './contestant.ts'
import { said } from './marks.ts'
import { ROWS } from './rows.ts'
import { settle, takeTurn } from './turn.ts'

const OFFSETS = 5
const TURNS = 14

/**
 * Two of three turns with two tool calls at once, begun after none to four turns without, so that the cut falls at
 * each place of such a turn. The provider refuses what OpenAI refuses.
 */
export async function toolPairAtTheCut(
  contestant: Contestant,
  groundsFor: () => Promise<Grounds>,
): Promise<Finding> {
  const row = ROWS.tools.only
  let [requests, folds, threw] = [0, 0, 0]
  const refused: string[] = []
  for (let offset = 0; offset < OFFSETS; offset += 1) {
    const grounds = await groundsFor()
    const chat = await contestant.open(grounds)
    for (let number = 1; number <= TURNS; number += 1) {
      const isLookUp = number > offset && number % 3 > 0
      const text = isLookUp ? `${said(number)} Please look up both places.` : said(number)
      const turn = await takeTurn(() => chat.say(text), 5_000)
      if (turn.outcome !== 'answered') threw += 1
      await settle(chat)
    }
    requests += grounds.provider.turns.length
    folds += grounds.provider.summaries
    refused.push(...grounds.provider.refused)
    await chat.close()
    await grounds.provider[Symbol.asyncDispose]()
  }
  const detail = `${refused.length} of ${requests} requests refused over ${OFFSETS} conversations with ${folds} summaries${
    refused.length > 0 ? `, the first for ${refused[0]}` : ''
  }; ${threw} turns failed`
  if (refused.length > 0 || threw > 0)
    return { row, verdict: 'wrong', short: `${refused.length} of ${requests} requests refused`, detail }
  return { row, verdict: 'kept', short: `${requests} requests, all valid`, detail }
}
