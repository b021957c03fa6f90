import { originLabel } from 'palimpsest/internals/context/index'
import type { SearchResult } from 'palimpsest/internals/finding/index'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import type { Language } from 'palimpsest/internals/language/index'
import {
  contentText,
  headOf,
  type Message,
  ownText,
  type Sender,
  searchableText,
  tailOf,
} from 'palimpsest/internals/log/index'
import { parseQuery } from 'palimpsest/internals/search/index'
import type { Session } from 'palimpsest/internals/session'
import { textReply } from '../reply.ts'
import type { ReplyRequest, Responder } from '../responder.ts'
import { type Find, foundText, greetingText, keptText, nothingText } from './found-text.ts'
import { languageOf } from './language-of.ts'
import { isMarkedQuestion, isQuestion, soughtIn } from './question.ts'

export interface SearchResponderOptions {
  /** The time zone of the days in an answer. The default: UTC. */
  readonly zone?: string
  /** The largest number of passages in an answer. The default: 3. */
  readonly finds?: number
}

const OPTIONS = optionsOf<SearchResponderOptions>({ zone: true, finds: true })

/** How many results are looked at: earlier questions may rank before the answer. */
const LOOKED_AT = 50
const LOOKED_AT_CHARACTERS = 10_000
/** A result that holds less than this share of what the best result holds is no answer. */
const MIN_SHARE = 0.5

/**
 * Answers without a model from what was said in this session, and says that it does so. The same log and the
 * same question give the same answer.
 */
export function searchResponder(options: SearchResponderOptions = {}): Responder {
  checkOptions('searchResponder', options, OPTIONS)
  const { zone = 'UTC', finds = 3 } = options
  async function* answer({ session, messages, signal }: ReplyRequest): AsyncGenerator<string> {
    const language = await languageOf(session, messages)
    const asking = messages.filter(({ content }) => isQuestion(readIn(ownText(content))))
    const sought = asking
      .map(({ content }) => soughtIn(readIn(ownText(content))) ?? '')
      .join(' ')
      .trim()
    const found = sought === '' ? [] : await findSaid(session, sought, asking)
    const asker = messages[0]?.sender ?? null
    const quoted = await Promise.all(found.slice(0, finds).map(result => withoutNames(session, result)))
    const shown = quoted.map(result => toFind(result, asker, { zone, language }))
    signal.throwIfAborted()
    // The text is given whole, so that a reader never sees its first word alone before the rest.
    if (messages.every(isBareCommand)) yield greetingText(language)
    else if (shown.length > 0) yield foundText(shown, language)
    else if (asking.length > 0) yield nothingText(language)
    else yield keptText(language, { isKnown: await hasAnswered(session) })
  }
  return request => textReply(answer(request), request, { recalled: true })
}

/** The beginning and the end of a long text: a question stands in one of them. */
function readIn(text: string): string {
  if (text.length <= 2 * LOOKED_AT_CHARACTERS) return text
  return `${headOf(text, LOOKED_AT_CHARACTERS)}\n${tailOf(text, LOOKED_AT_CHARACTERS)}`
}

/** On Telegram, the first message that a person sends to a bot is `/start`. */
function isBareCommand({ content }: Message): boolean {
  return /^\/\w+(?:@\w+)?$/.test(ownText(content).trim())
}

/** A bot that answered within this many messages does not explain itself again. */
const LATELY = 200

async function hasAnswered(session: Session): Promise<boolean> {
  const messages = await session.messages({ from: 'newest', limit: LATELY })
  return messages.some(({ role }) => role === 'assistant')
}

/** What people said with words of the question, the best first. Results that only ask come last. */
async function findSaid(
  session: Session,
  sought: string,
  asking: readonly Message[],
): Promise<readonly SearchResult[]> {
  const { results } = await session.search(sought, { role: 'user', limit: LOOKED_AT, neighbours: 0 })
  const isAsking = new Set(asking.map(({ seq }) => seq))
  const repeats = new Set(asking.map(({ content }) => comparable(searchableText(content))))
  // For a day alone, everything said on it counts. Otherwise a result without a word of the query is only a
  // neighbour of one.
  const { onlyDates } = parseQuery(sought)
  const answering = results.filter(
    ({ seq, excerpt, highlights, sender }) =>
      !isAsking.has(seq) &&
      !repeats.has(comparable(excerpt)) &&
      !sender?.isSelf &&
      (onlyDates || highlights.length > 0),
  )
  // A question mark is certain, other forms are guesses. Where a result answers, marked questions are left
  // out.
  const unmarked = answering.filter(({ excerpt }) => !isMarkedQuestion(excerpt))
  const kept = unmarked.some(({ excerpt }) => !isQuestion(excerpt)) ? unmarked : answering
  const most = Math.max(0, ...kept.map(heldOf))
  return kept
    .filter(result => heldOf(result) >= most * MIN_SHARE)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || heldOf(other) - heldOf(one))
}

function rankOf({ excerpt }: SearchResult): number {
  return isQuestion(excerpt) ? 1 : 0
}

/**
 * Removes attachment names from a result with a caption, since a person did not say them. They stay where
 * they were sought.
 */
async function withoutNames(session: Session, result: SearchResult): Promise<SearchResult> {
  const { seq, excerpt, highlights } = result
  const [message] = await session.messages({ after: seq - 1, before: seq + 1, limit: 1 })
  const said = message ? contentText(message.content) : ''
  const names = message ? searchableText(message.content).slice(said.length).replace(/\s+/gu, ' ') : ''
  const end = excerpt.length - names.length
  const isSought = highlights.some(([, to]) => to > end)
  if (said.trim() === '' || names === '' || isSought || !excerpt.endsWith(names)) return result
  return { ...result, excerpt: excerpt.slice(0, end) }
}

/**
 * How much of the question a result holds. It counts each word once, and in scripts without spaces the
 * characters.
 */
function heldOf({ excerpt, highlights }: SearchResult): number {
  const held = new Set(highlights.map(([from, to]) => excerpt.slice(from, to).toLowerCase()))
  return [...held].reduce((sum, text) => sum + (UNSPACED.test(text) ? [...text].length : 1), 0)
}

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u

function comparable(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{S}]+/gu, ' ')
    .trim()
}

function toFind(
  { sender, at, excerpt, origin }: SearchResult,
  asker: Sender | null,
  { zone, language }: { readonly zone: string; readonly language: Language },
): Find {
  const isAsker = (sender?.id ?? null) === (asker?.id ?? null) && origin === undefined
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at)
  const name = sender?.name || sender?.id || ''
  const speaker =
    origin === undefined ? name : [name, originLabel(origin, language)].filter(Boolean).join(', ')
  return { speaker: isAsker ? null : speaker, day, excerpt }
}
