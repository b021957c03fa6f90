import { checkPositive, InvalidArgumentError, SegmentNotFoundError } from '../errors.ts'
import { checkOptions, optionsOf } from '../known-options.ts'
import { type Message, modelText, type Segment } from '../log/index.ts'
import type { SessionKey, Store } from '../store/index.ts'
import { estimateTokens } from '../tokens/index.ts'

export interface ExpandOptions {
  /** The id of a segment. Left out: the messages from `fromSeq` through `toSeq`. */
  readonly segment?: number
  readonly fromSeq?: number
  /** Default: `fromSeq`. */
  readonly toSeq?: number
  /** `level` (the default): one level down. `messages`: down to the messages. */
  readonly to?: 'level' | 'messages'
  /** The `next` of the page before this one. */
  readonly after?: number
  /** How many. Default: 100, at most 1,000. */
  readonly limit?: number
  /** As many as fit into this many tokens, and at least one. Default: 8,000. */
  readonly tokens?: number
}

/** What lies under a segment: either the segments of the level below, or messages. */
export interface Expanded {
  /** The segment that was opened. `null`: a range. */
  readonly segment: Segment | null
  readonly fromSeq: number
  readonly toSeq: number
  /** Oldest first. Empty if the next level is the messages. */
  readonly segments: readonly Segment[]
  readonly messages: readonly Message[]
  /** The value for `after`. `null`: there is no more. */
  readonly next: number | null
}

const EXPAND = optionsOf<ExpandOptions>({
  segment: true,
  fromSeq: true,
  toSeq: true,
  to: true,
  after: true,
  limit: true,
  tokens: true,
})

type Reader = Pick<Store, 'folds' | 'log'>

const MAX_AT_ONCE = 1_000

export async function expand(store: Reader, key: SessionKey, options: ExpandOptions = {}): Promise<Expanded> {
  checkOptions('expand', options, EXPAND)
  const { to = 'level', limit = 100, tokens = 8_000 } = options
  if (to !== 'level' && to !== 'messages') throw new InvalidArgumentError('to', to, 'level, messages')
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_AT_ONCE)
    throw new InvalidArgumentError('limit', limit, `a whole number from 1 to ${MAX_AT_ONCE}`)
  checkPositive('tokens', tokens)
  for (const [field, value] of Object.entries({ segment: options.segment, after: options.after }))
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 0))
      throw new InvalidArgumentError(field, value, 'a whole number of at least 0')
  const { segment, lower, fromSeq, toSeq } = await findRange(store, key, options)
  const after = Math.max(options.after ?? 0, fromSeq - 1)
  const base = { segment, fromSeq, toSeq }
  if (segment !== null && segment.level > 1 && lower.length > 0 && to === 'level') {
    const left = lower.filter(each => each.toSeq > after)
    const segments = within(left.slice(0, limit), tokens, ({ text }) => text)
    const isMore = segments.length < left.length
    return { ...base, segments, messages: [], next: isMore ? segments.at(-1)!.toSeq : null }
  }
  const range = { after, before: toSeq + 1, from: 'oldest', answered: true } as const
  const page = await store.log.readMessages(key, { ...range, limit: limit + 1 })
  const messages = within(page.slice(0, limit), tokens, ({ content }) => modelText(content))
  const isMore = messages.length < page.length
  return { ...base, segments: [], messages, next: isMore ? messages.at(-1)!.seq : null }
}

async function findRange(store: Reader, key: SessionKey, options: ExpandOptions) {
  const { segment: id, fromSeq, toSeq = fromSeq } = options
  if (id !== undefined) {
    const found = await store.folds.readSegment(key, id)
    if (found === null) throw new SegmentNotFoundError(key.id, id)
    return { ...found, fromSeq: found.segment.fromSeq, toSeq: found.segment.toSeq }
  }
  for (const [field, value] of Object.entries({ fromSeq, toSeq }))
    if (!Number.isSafeInteger(value) || value! < 1)
      throw new InvalidArgumentError(field, value, 'a segment, or a range of messages from 1 on')
  if (toSeq! < fromSeq!) throw new InvalidArgumentError('toSeq', toSeq, `at least fromSeq (${fromSeq})`)
  return { segment: null, lower: [], fromSeq: fromSeq!, toSeq: toSeq! }
}

/** As many as fit, and at least one. */
function within<Item>(
  items: readonly Item[],
  tokens: number,
  textOf: (item: Item) => string,
): readonly Item[] {
  let left = tokens
  const end = items.findIndex((item, place) => {
    left -= estimateTokens(textOf(item))
    return left < 0 && place > 0
  })
  return end === -1 ? items : items.slice(0, end)
}
