import type { SearchResult } from '../../finding/index.ts'
import { contentText, type Message, type Sender, searchableText } from '../../log/index.ts'
import { parseQuery } from '../../search/index.ts'
import type { Session } from '../../session.ts'
import { textReply } from '../reply.ts'
import type { ReplyRequest, Responder } from '../responder.ts'
import { type Find, foundText, keptText, nothingText } from './found-text.ts'
import { languageOf } from './language-of.ts'
import { isQuestion, soughtIn } from './question.ts'

export interface SearchResponderOptions {
  /** In which the days of what was found are told. The default: UTC. */
  readonly zone?: string
  /** At the most so many finds. The default: 3. */
  readonly finds?: number
}

/** Earlier questions may stand before the answer: so many are looked at. */
const LOOKED_AT = 50
/** What holds so much less of the question than the best does not answer it. */
const LEAST_SHARE = 0.5

/**
 * Answers without a model, from what was said in this session, and says so. The same log and the same question give
 * the same answer.
 */
export function searchResponder({ zone = 'UTC', finds = 3 }: SearchResponderOptions = {}): Responder {
  async function* answer({ session, messages, signal }: ReplyRequest): AsyncGenerator<string> {
    const text = messages.map(({ content }) => contentText(content)).join('\n')
    const language = languageOf(text)
    const asking = messages.filter(({ content }) => isQuestion(contentText(content)))
    const sought = asking
      .map(({ content }) => soughtIn(contentText(content)) ?? '')
      .join(' ')
      .trim()
    const found = sought === '' ? [] : await findSaid(session, sought, asking)
    const asker = messages[0]?.sender ?? null
    const shown = found.slice(0, finds).map(result => toFind(result, asker, zone))
    if (shown.length > 0) yield* inPieces(foundText(shown, language), signal)
    else yield* inPieces(asking.length > 0 ? nothingText(language) : keptText(language), signal)
  }
  return request => textReply(answer(request), request, { recalled: true })
}

/** What people said that holds words of what is sought, best first; questions only where there is nothing else. */
async function findSaid(
  session: Session,
  sought: string,
  asking: readonly Message[],
): Promise<readonly SearchResult[]> {
  const { results } = await session.search(sought, { role: 'user', limit: LOOKED_AT, neighbours: 0 })
  const isAsking = new Set(asking.map(({ seq }) => seq))
  const repeats = new Set(asking.map(({ content }) => comparable(searchableText(content))))
  // Of a day all that was said is meant; elsewhere a result without a word of the query only stands beside one.
  const { onlyDates } = parseQuery(sought)
  const answering = results.filter(
    ({ seq, excerpt, highlights, sender }) =>
      !isAsking.has(seq) &&
      !repeats.has(comparable(excerpt)) &&
      !sender?.isSelf &&
      (onlyDates || highlights.length > 0),
  )
  const statements = answering.filter(({ excerpt }) => !isQuestion(excerpt))
  const kept = statements.length > 0 ? statements : answering
  const most = Math.max(0, ...kept.map(heldOf))
  return kept
    .filter(result => heldOf(result) >= most * LEAST_SHARE)
    .toSorted((one, other) => heldOf(other) - heldOf(one))
}

/** How much of the question a result holds: its words, each once, and of scripts without spaces their characters. */
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

function toFind({ sender, at, excerpt }: SearchResult, asker: Sender | null, zone: string): Find {
  const isAsker = (sender?.id ?? null) === (asker?.id ?? null)
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at)
  return { speaker: isAsker ? null : sender?.name || sender?.id || '', day, excerpt }
}

/** Word by word, and where words are not spaced a few characters at a time: as a model would say it. */
async function* inPieces(text: string, signal: AbortSignal): AsyncGenerator<string> {
  for (const [piece] of text.matchAll(/\s*\S{1,12}\s*/gu)) {
    signal.throwIfAborted()
    yield piece
  }
}
