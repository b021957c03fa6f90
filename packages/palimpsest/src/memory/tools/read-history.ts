import { headedText, inert, inertName, senderName } from '../../context/index.ts'
import { InvalidArgumentError } from '../../errors.ts'
import { findMessages, type SearchEngine } from '../../finding/index.ts'
import { FALLBACK_LANGUAGE, type Language, type Texts } from '../../language/index.ts'
import { type Content, headOf, type Message, modelText, withoutRecalled } from '../../log/index.ts'
import type { SessionKey, Store } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { ToolArgumentError, type ToolArguments } from './check-arguments.ts'

type Reader = Pick<Store, 'log' | 'folds'>

interface Reading {
  readonly args: ToolArguments
  readonly texts: Texts['tools']
  readonly language: Language
}

/** A message as the tools return it. It names its speaker, and its text is harmless in any place. */
export interface RecalledMessage {
  readonly seq: number
  readonly at: string
  readonly role: string
  readonly sender?: string
  readonly text: string
}

const MAX_TEXT_CHARACTERS = 2_000
/** The most tokens of one answer. */
const MAX_TOKENS = 4_000

function toRecalled(message: Message, language: Language): RecalledMessage {
  const { seq, at, role, sender, content } = message
  // Names as in a group, since two people may have the same name.
  const name = sender && senderName({ sender }, FALLBACK_LANGUAGE)
  const text = headedText(message, language, clippedText) ?? inert(clippedText(content))
  return { seq, at: at.toISOString(), role, ...(name && { sender: name }), text }
}

function clippedText(content: Content): string {
  const text = sayingText(content)
  return text.length <= MAX_TEXT_CHARACTERS ? text : `${headOf(text, MAX_TEXT_CHARACTERS)}…`
}

/** Calls and results of tools are included. Reasoning is not. */
function sayingText(content: Content): string {
  if (typeof content === 'string') return content
  return modelText(content.filter(({ type }) => type !== 'reasoning'))
}

/** As many messages as fit, and at least one. */
function within(messages: readonly Message[], language: Language): readonly RecalledMessage[] {
  let left = MAX_TOKENS
  const shown: RecalledMessage[] = []
  for (const message of messages) {
    const recalled = toRecalled(message, language)
    left -= estimateTokens(recalled.text) + 20
    if (left < 0 && shown.length > 0) break
    shown.push(recalled)
  }
  return shown
}

/** Searches this session only, whatever the arguments are. */
export async function queryHistory(
  engine: SearchEngine,
  key: SessionKey,
  { args, texts, language }: Reading,
) {
  const { query, limit = 5, sender } = args as { query: string; limit?: number; sender?: string }
  const times = Object.entries({ after: args['after'], before: args['before'] })
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field, String(value)])
  try {
    const found = await findMessages(engine, key, query, {
      ...Object.fromEntries(times),
      limit,
      ...(sender !== undefined && { sender }),
    })
    const shown = within(withoutRecalled(found.messages), language)
    const { people } = found
    if (people.length < 2 || sender === undefined) return { recalled: true, messages: shown }
    const named = people.map(each => senderName({ sender: each }, FALLBACK_LANGUAGE))
    return { recalled: true, messages: shown, note: texts.severalNamed(inertName(sender), named) }
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    throw new ToolArgumentError(texts.badQuery(error.message))
  }
}

export async function expandHistory(store: Reader, key: SessionKey, { args, texts, language }: Reading) {
  const { segment, limit = 20 } = args as { segment?: number; limit?: number }
  const { fromSeq, toSeq } =
    segment === undefined ? rangeOf(args, texts) : await rangeOfSegment(store, key, { id: segment, texts })
  const messages = await store.log.readMessages(key, {
    after: fromSeq - 1,
    before: toSeq + 1,
    limit,
    from: 'oldest',
    answered: true,
  })
  const shown = within(withoutRecalled(messages), language)
  const last = shown.at(-1)?.seq ?? toSeq
  const isMore = last < toSeq && (shown.length < messages.length || messages.length === limit)
  return { recalled: true, messages: shown, ...(isMore && { next: { fromSeq: last + 1, toSeq } }) }
}

function rangeOf(
  { fromSeq, toSeq }: ToolArguments,
  { needsRange, badRange }: Texts['tools'],
): { fromSeq: number; toSeq: number } {
  if (fromSeq === undefined) throw new ToolArgumentError(needsRange)
  const from = Number(fromSeq)
  const to = Number(toSeq ?? fromSeq)
  if (to < from) throw new ToolArgumentError(badRange)
  return { fromSeq: from, toSeq: to }
}

async function rangeOfSegment(
  store: Reader,
  key: SessionKey,
  { id, texts }: { readonly id: number; readonly texts: Texts['tools'] },
) {
  const found = await store.folds.readSegment(key, id)
  if (found !== null) return found.segment
  const ids = (await store.folds.readSegments(key, 'shown')).map(segment => segment.id)
  throw new ToolArgumentError(texts.noSegment(id, ids))
}
