import {
  type Content,
  completeTurns,
  contentLinks,
  isReply,
  nextTotals,
  type Role,
  type SessionKind,
  type Size,
  type Totals,
} from '../packages/palimpsest/src/log/index.ts'

/** A session as a child would keep it: lists, gone through from the beginning each time. */

export interface ModelMessage {
  readonly seq: number
  readonly role: Role
  readonly externalId: string | null
  /** The current one last. */
  readonly versions: readonly Content[]
  readonly hidden: boolean
  readonly erased: boolean
  /** Its place among the turns, which it keeps: those that follow rest on it, also when it is erased. */
  readonly place: Totals
}

export type NewModelMessage = Pick<ModelMessage, 'role' | 'externalId' | 'versions'>

interface ModelSegment {
  readonly fromSeq: number
  readonly toSeq: number
  readonly absorbs: readonly ModelSegment[]
}

export interface Model {
  readonly kind: SessionKind
  readonly messages: readonly ModelMessage[]
  readonly lastSeq: number
  /** Those that are shown. */
  readonly segments: readonly ModelSegment[]
}

export const GROUP_TURN = 3

export function sizeOf(content: Content): Size {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return { characters: text.length, tokens: 1 + Math.ceil(text.length / 3) }
}

export function contentOf(message: ModelMessage): Content {
  return message.versions.at(-1)!
}

export function visibleOf({ messages }: Model): readonly ModelMessage[] {
  return messages.filter(message => !message.hidden)
}

export function cursorOf({ segments }: Model): number {
  return segments.at(-1)?.toSeq ?? 0
}

export function append(model: Model, message: NewModelMessage): Model {
  const seq = model.lastSeq + 1
  const place = placeAfter(visibleOf(model).at(-1), message, model)
  const appended = { ...message, seq, place, hidden: false, erased: false }
  return { ...model, lastSeq: seq, messages: [...model.messages, appended] }
}

function placeAfter(
  previous: Pick<ModelMessage, 'place'> | undefined,
  { role, versions }: NewModelMessage,
  { kind }: Model,
): Totals {
  const content = versions.at(-1)!
  const rules = { kind, groupTurnMessages: GROUP_TURN }
  return nextTotals(previous?.place ?? null, { role, content }, sizeOf(content), rules)
}

/** As if only what is visible had ever been said. */
export function copy(model: Model): Model {
  let previous: ModelMessage | undefined
  const messages = model.messages.map(message => {
    if (message.hidden) return message
    previous = { ...message, place: placeAfter(previous, message, model) }
    return previous
  })
  return { ...model, messages }
}

export function erase(model: Model, seqs: readonly number[]): Model {
  const messages = model.messages.map(message =>
    seqs.includes(message.seq) ? { ...message, hidden: true, erased: true } : message,
  )
  return { ...model, messages }
}

export function edit(model: Model, seq: number, content: Content): Model {
  const messages = model.messages.map(message =>
    message.seq === seq ? { ...message, versions: [...message.versions, content] } : message,
  )
  return { ...model, messages }
}

export function rollback(model: Model, toSeq: number): Model {
  if (visibleOf(model).every(({ seq }) => seq <= toSeq)) return model
  const messages = model.messages.map(message => ({
    ...message,
    hidden: message.hidden || message.seq > toSeq,
  }))
  const head = messages.findLast(message => !message.hidden)?.seq ?? 0
  const below = (segment: ModelSegment): readonly ModelSegment[] =>
    segment.toSeq <= head ? [segment] : segment.absorbs.flatMap(below)
  return { ...model, messages, segments: model.segments.flatMap(below) }
}

export function fork(model: Model, atSeq: number): Model {
  const lastSeq = visibleOf(model).findLast(({ seq }) => seq <= atSeq)?.seq ?? 0
  const messages = model.messages.filter(({ seq, hidden, erased }) => seq <= lastSeq && (!hidden || erased))
  return { ...model, messages, lastSeq, segments: cursorOf(model) <= lastSeq ? model.segments : [] }
}

export function fold(model: Model, range: { fromSeq: number; toSeq: number }, rollUp: boolean): Model {
  const segment = { ...range, absorbs: [] }
  const segments = [...model.segments, segment]
  if (!rollUp) return { ...model, segments }
  return { ...model, segments: [{ fromSeq: segments[0]!.fromSeq, toSeq: range.toSeq, absorbs: segments }] }
}

/** Everything counted from scratch over the visible messages. */
export function recount(model: Model) {
  const cursor = cursorOf(model)
  const visible = visibleOf(model)
  const raw = visible
    .filter(({ seq }) => seq > cursor)
    .map(message => {
      const content = contentOf(message)
      return { seq: message.seq, turn: message.place.turn, links: contentLinks(content), ...sizeOf(content) }
    })
  const replies = visible.filter(message => isReply(message.role, contentLinks(contentOf(message))))
  const last = visible.at(-1)
  const totals = last ? { ...last.place, messages: visible.length, replies: replies.length } : null
  return {
    totals,
    raw,
    amount: {
      messages: raw.length,
      // Complete turns that do not lie wholly at or below the cursor.
      turns: totals === null || raw.length === 0 ? 0 : completeTurns(totals) - (raw[0]!.turn - 1),
      characters: raw.reduce((sum, { characters }) => sum + characters, 0),
      tokens: raw.reduce((sum, { tokens }) => sum + tokens, 0),
    },
  }
}
