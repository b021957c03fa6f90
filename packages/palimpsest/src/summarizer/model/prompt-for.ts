import { estimateTokens } from '../../tokens/index.ts'
import { whoSpeaks } from '../speakers.ts'
import type { ExtractsRequest, FactRequest, MemoUpdateRequest, SummarizeRequest } from '../summarizer.ts'
import { memoBlocks } from './memo.ts'
import { block, neutralize } from './neutralize.ts'
import { earlierTokens } from './window.ts'

interface PromptParts {
  /** The summary of the pieces before this one. */
  readonly soFar: string | null
  readonly memo: Readonly<Record<string, unknown>> | null
  readonly piece: string
  readonly windowTokens: number
}

/**
 * The room for the earlier summary in a call that asks for a memo alone. A memo itself says what came before,
 * and more would cost more than the messages do.
 */
const MEMO_EARLIER_TOKENS = 500

/** Settings stand behind the material, where models heed them best. */
export function promptFor(
  request: MemoUpdateRequest | SummarizeRequest,
  { soFar, memo, piece, windowTokens }: PromptParts,
): string {
  const { earlier, memo: memoRequest } = request
  const { of, budgetTokens, focus, script } = request as Partial<SummarizeRequest>
  const extracts = wantedExtracts(request)
  const mostEarlier = budgetTokens === undefined ? MEMO_EARLIER_TOKENS : earlierTokens(windowTokens)
  const people = peopleText(request)
  return [
    ...(people === '' ? [] : [block('people', neutralize(people))]),
    ...(earlier ? [block('earlier_summary', neutralize(newestOf(earlier, mostEarlier)))] : []),
    ...(memoRequest ? memoBlocks(memoRequest, memo ?? memoRequest.value) : []),
    ...(soFar ? [block('summary_so_far', neutralize(soFar))] : []),
    block(of === 'summaries' ? 'summaries' : 'conversation', piece),
    ...(focus ? [block('focus', neutralize(focus))] : []),
    ...(script ? [block('script', neutralize(script))] : []),
    ...(budgetTokens === undefined ? [] : [block('budget', budgetText(budgetTokens, extracts))]),
  ].join('\n\n')
}

/** At most so many people are listed: a reader does not keep more apart either. */
const MAX_LISTED = 60

/** The people whose names have to stand with their ids, written in that way; empty: there are none. */
export function peopleText({
  messages,
  people,
  marksAll = false,
}: Pick<FactRequest, 'messages' | 'people' | 'marksAll'>): string {
  const who = whoSpeaks(messages, people, { marksAll })
  return who.marked
    .slice(-MAX_LISTED)
    .map(person => {
      const [now, ...earlier] = person.names.map(({ name }) => who.nameOfPerson({ person, name })).reverse()
      return `- ${now ?? who.nameOfPerson({ person, name: '' })}${earlier.length === 0 ? '' : `, earlier ${earlier.join(', ')}`}`
    })
    .join('\n')
}

/** `null`: the request asks for none. What a summary says was extracted when its messages were folded. */
export function wantedExtracts(request: MemoUpdateRequest | SummarizeRequest): ExtractsRequest | null {
  const { of, extracts } = request as Partial<SummarizeRequest>
  return extracts !== undefined && extracts.most > 0 && of !== 'summaries' ? extracts : null
}

const LANGUAGES = { en: 'English', zh: 'Chinese' } as const

/** Models understand words better than tokens. */
function budgetText(tokens: number, extracts: ExtractsRequest | null): string {
  const summary = `${tokens} tokens at most: about ${Math.floor(tokens * 0.7)} English words, or as many Chinese characters`
  if (extracts === null) return summary
  return `${summary}\nExtracts: ${extracts.most} at most; where the conversation is in no language in particular, in ${LANGUAGES[extracts.language]}`
}

/** A longer text is cut to this before it is measured: the rest would be cut off anyway. */
const MAX_CHARACTERS_PER_TOKEN = 6

/** The end of a text that is too long. It begins with a line of its own where one is near enough. */
function newestOf(text: string, tokens: number): string {
  let tail = text.slice(-tokens * MAX_CHARACTERS_PER_TOKEN)
  for (let size = estimateTokens(tail); size > tokens; size = estimateTokens(tail))
    tail = tail.slice(tail.length - Math.floor(tail.length * Math.min(0.95, (0.97 * tokens) / size)))
  if (tail === text) return text
  const line = tail.indexOf('\n')
  return `…\n${line >= 0 && line < tail.length / 2 ? tail.slice(line + 1) : tail.toWellFormed()}`
}
