import type { Chat, Contestant, Finding, Grounds, Verdict } from './contestant.ts'
import { mark, marksIn, marksOf, missing, said } from './marks.ts'
import { REFUSAL, type SummaryMode } from './provider.ts'
import { ROWS } from './rows.ts'
import { counted, settle, type Turn, takeTurn } from './turn.ts'

/** While the summariser fails, and then while it works again. */
const TURNS = { failing: 13, healed: 10 }
const PATIENCE_MS = 5_000
/** Once it works again, for a turn that is still held. */
const LATE_MS = 12_000

export const summaryModes = Object.keys(ROWS.summariser) as SummaryMode[]

/** What is said while the summariser fails: does the turn go on, and what is left of the messages? */
export async function failingSummariser(
  contestant: Contestant,
  grounds: Grounds,
  mode: SummaryMode,
): Promise<Finding> {
  const row = ROWS.summariser[mode]
  if (contestant.name === 'openai-agents' && (mode === 'refusal' || mode === 'cut-off'))
    return { row, verdict: 'none', short: 'opaque', detail: 'the summary is the provider’s own, encrypted' }

  const { provider } = grounds
  const chat = await contestant.open(grounds)
  provider.mode = mode
  const turns: Turn[] = []
  let number = 0
  while (number < TURNS.failing) {
    number += 1
    const turn = await takeTurn(() => chat.say(said(number)), PATIENCE_MS)
    turns.push(turn)
    await settle(chat)
    if (turn.outcome === 'held' || thrown(turns).length === 3) break
  }
  const asked = provider.summaries
  // The last answer no request has seen; and a turn that is held before its request has made none.
  const marks = marksOf(1, number).slice(0, -1)
  const request = provider.turns.at(-1) ?? ''
  const asMade = marksIn(request).includes(mark(number)) ? marks : marks.slice(0, -2)
  const during = missing(asMade, request)
  const rubbish = rubbishIn(request, mode)

  provider.mode = 'works'
  if (turns.at(-1)?.outcome === 'held') await takeTurn(() => turns.at(-1)!.ended, LATE_MS)
  const last = number + TURNS.healed
  while (number < last) {
    number += 1
    await takeTurn(() => chat.say(said(number)), PATIENCE_MS)
    await settle(chat)
  }
  const after = contestant.shows === 'part' ? marks : missing(marks, provider.turns.at(-1) ?? '')
  const places = await chat.kept()
  await chat.close()
  return judge({ contestant, row, turns, marks, asked, during, after, rubbish, places })
}

interface Seen {
  readonly contestant: Contestant
  readonly row: string
  readonly turns: readonly Turn[]
  readonly marks: readonly string[]
  readonly asked: number
  readonly during: readonly string[]
  readonly after: readonly string[]
  readonly rubbish: string | null
  readonly places: Awaited<ReturnType<Chat['kept']>>
}

function judge({ contestant, row, turns, marks, asked, during, after, rubbish, places }: Seen): Finding {
  const held = turns.find(({ outcome }) => outcome === 'held')
  const threw = thrown(turns)
  const nowhere = missing(after, Object.values(places).join('\n'))
  const of = `of ${marks.length} messages`
  const stillThere = Object.entries(places).map(([place, text]) => {
    const found = after.length - missing(after, text).length
    return `${found} of them are in ${place}`
  })
  const detail = [
    `${counted(asked, 'call')} of the summariser in ${turns.length} turns`,
    threw.length > 0 && `${threw.length} turns threw (${threw[0]!.error})`,
    held && `the last turn was still waiting after ${PATIENCE_MS / 1000} s`,
    contestant.shows === 'everything' &&
      `${during.length} of the messages so far missing from the request then`,
    contestant.shows === 'everything' &&
      `${after.length} ${of} missing from it after the summariser works again`,
    after.length > 0 && stillThere.join(', '),
    rubbish !== null && `in the request as memory: “${rubbish}”`,
  ]
    .filter(Boolean)
    .join('; ')

  const finding = (verdict: Verdict, short: string): Finding => ({ row, verdict, short, detail })
  const lost = contestant.shows === 'part' ? nowhere : after
  if (lost.length > 0 && threw.length === turns.length) return finding('stops', 'throws, keeps nothing')
  if (lost.length > 0 || rubbish !== null) {
    const where = nowhere.length > 0 ? 'in no place' : 'out of context'
    return finding(
      'wrong',
      `${lost.length} of ${marks.length} ${where}${rubbish === null ? '' : '; the error is the summary'}`,
    )
  }
  if (held) return finding('stops', `holds the turn (> ${PATIENCE_MS / 1000} s)`)
  if (threw.length > 0) return finding('stops', 'the turn throws')
  return finding('kept', 'nothing lost')
}

function thrown(turns: readonly Turn[]): Turn[] {
  return turns.filter(({ outcome }) => outcome === 'threw')
}

/** Words of the failure that the model is now told as if they were memory. */
function rubbishIn(request: string, mode: SummaryMode): string | null {
  const words = {
    'http-500': /Error generating summary[^"\\]{0,40}/,
    refusal: new RegExp(REFUSAL.slice(0, 20)),
  }
  if (mode !== 'http-500' && mode !== 'refusal') return null
  return words[mode].exec(request)?.[0] ?? null
}
