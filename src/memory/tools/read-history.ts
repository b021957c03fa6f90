import { inert, inertId, inertName } from '../../context/index.ts'
import {
  type Content,
  headOf,
  type Message,
  modelText,
  parseInstant,
  withoutRecalled,
} from '../../log/index.ts'
import type { SessionKey, Store } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { ToolArgumentError, type ToolArguments } from './check-arguments.ts'

type Reader = Pick<Store, 'readMessages' | 'readSegments'>

/** A message as it is given back: attributed, and harmless wherever it is put. */
export interface RecalledMessage {
  readonly seq: number
  readonly at: string
  readonly role: string
  readonly sender?: string
  readonly text: string
}

const PAGE = 500
/** Without an index, only so many of the newest messages are looked through. */
const MOST_SCANNED = 20_000
const MOST_TEXT_CHARACTERS = 2_000
/** Of one answer. */
const MOST_TOKENS = 4_000

function toRecalled({ seq, at, role, sender, content }: Message): RecalledMessage {
  const text = sayingText(content)
  const shown = text.length <= MOST_TEXT_CHARACTERS ? text : `${headOf(text, MOST_TEXT_CHARACTERS)}…`
  const name = sender && (inertName(sender.name ?? '') || inertId(sender.id))
  return { seq, at: at.toISOString(), role, ...(name && { sender: name }), text: inert(shown) }
}

/** What tools were told and said, too; but not what somebody only thought. */
function sayingText(content: Content): string {
  if (typeof content === 'string') return content
  return modelText(content.filter(({ type }) => type !== 'reasoning'))
}

/** As many as fit, and at least one. */
function within(messages: readonly Message[]): readonly RecalledMessage[] {
  let left = MOST_TOKENS
  const shown: RecalledMessage[] = []
  for (const message of messages) {
    const recalled = toRecalled(message)
    left -= estimateTokens(recalled.text) + 20
    if (left < 0 && shown.length > 0) break
    shown.push(recalled)
  }
  return shown
}

/** Messages with the most of the words, the newest first among equals. */
export async function queryHistory(store: Reader, key: SessionKey, args: ToolArguments, zone: string) {
  const { query, limit = 5, sender } = args as { query: string; limit?: number; sender?: string }
  const words = wordsOf(query)
  const isWanted = filterOf(args, zone)
  const found: { message: Message; score: number }[] = []
  let before: number | undefined
  for (let scanned = 0; scanned < MOST_SCANNED; scanned += PAGE) {
    const page = await store.readMessages(key, {
      limit: PAGE,
      from: 'newest',
      ...(before !== undefined && { before }),
    })
    for (const message of withoutRecalled(page).toReversed()) {
      if (!isWanted(message) || (sender !== undefined && !isFrom(message, sender))) continue
      const text = sayingText(message.content).toLowerCase()
      const score = words.filter(word => text.includes(word)).length
      if (score > 0) found.push({ message, score })
    }
    if (page.length < PAGE) break
    before = page[0]!.seq
    // Everything else gets its turn.
    await new Promise(resolve => setImmediate(resolve))
  }
  const best = found.sort((one, other) => other.score - one.score || other.message.seq - one.message.seq)
  return { recalled: true, messages: within(best.slice(0, limit).map(({ message }) => message)) }
}

/** Words; of scripts without spaces, pairs of characters. */
function wordsOf(query: string): readonly string[] {
  const words: readonly string[] = query.toLowerCase().match(/[\p{L}\p{N}]{1,100}/gu) ?? []
  return [
    ...new Set(
      words.flatMap(word => {
        const characters = [...word]
        const isSpaced = !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)
        if (isSpaced || characters.length < 3) return [word]
        return characters.slice(1).map((character, place) => characters[place]! + character)
      }),
    ),
  ]
}

function filterOf({ before, after }: ToolArguments, zone: string): (message: Message) => boolean {
  const until = before === undefined ? Number.POSITIVE_INFINITY : instantOf('before', before, zone)
  const since = after === undefined ? Number.NEGATIVE_INFINITY : instantOf('after', after, zone)
  return ({ at }) => at.getTime() >= since && at.getTime() < until
}

function instantOf(field: string, value: string | number, zone: string): number {
  const text = String(value)
  const instant = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text, zone)
  if (instant === null)
    throw new ToolArgumentError(`${field} has to be a day or an instant, as in 2026-02-10.`)
  return instant
}

function isFrom({ sender, role }: Message, wanted: string): boolean {
  return sender === null ? role === wanted : sender.id === wanted || sender.name === wanted
}

export async function expandHistory(store: Reader, key: SessionKey, args: ToolArguments) {
  const { segment, limit = 20 } = args as { segment?: number; limit?: number }
  const { fromSeq, toSeq } = segment === undefined ? rangeOf(args) : await rangeOfSegment(store, key, segment)
  const messages = await store.readMessages(key, {
    after: fromSeq - 1,
    before: toSeq + 1,
    limit,
    from: 'oldest',
  })
  const shown = within(withoutRecalled(messages))
  const last = shown.at(-1)?.seq ?? toSeq
  const isMore = last < toSeq && (shown.length < messages.length || messages.length === limit)
  return { recalled: true, messages: shown, ...(isMore && { next: { fromSeq: last + 1, toSeq } }) }
}

function rangeOf({ fromSeq, toSeq }: ToolArguments): { fromSeq: number; toSeq: number } {
  if (fromSeq === undefined)
    throw new ToolArgumentError('expand_history needs segment, or fromSeq and toSeq.')
  const from = Number(fromSeq)
  const to = Number(toSeq ?? fromSeq)
  if (to < from) throw new ToolArgumentError('toSeq has to be at least fromSeq.')
  return { fromSeq: from, toSeq: to }
}

async function rangeOfSegment(store: Reader, key: SessionKey, id: number) {
  const segments = await store.readSegments(key, 'all')
  const found = segments.find(segment => segment.id === id)
  if (found) return found
  const ids = segments.filter(({ rolledInto }) => rolledInto === null).map(segment => segment.id)
  throw new ToolArgumentError(`There is no segment ${id} here; there are ${ids.join(', ') || 'none'}.`)
}
