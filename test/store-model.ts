import {
  type Content,
  completeTurns,
  contentLinks,
  nextTotals,
  type Role,
  type SessionKind,
  type Size,
  type Totals,
} from '../src/log/index.ts'

/** A session as a child would keep it: lists, gone through from the beginning each time. */

export interface ModelMessage {
  readonly seq: number
  readonly role: Role
  readonly externalId: string | null
  /** The current one last. */
  readonly versions: readonly Content[]
  readonly hidden: boolean
}

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

export function append(model: Model, message: Omit<ModelMessage, 'seq' | 'hidden'>): Model {
  const seq = model.lastSeq + 1
  return { ...model, lastSeq: seq, messages: [...model.messages, { ...message, seq, hidden: false }] }
}

export function edit(model: Model, seq: number, content: Content): Model {
  const messages = model.messages.map(message =>
    message.seq === seq ? { ...message, versions: [...message.versions, content] } : message,
  )
  return { ...model, messages }
}

export function rollback(model: Model, toSeq: number): Model {
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
  const messages = visibleOf(model).filter(({ seq }) => seq <= atSeq)
  const lastSeq = messages.at(-1)?.seq ?? 0
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
  let totals: Totals | null = null
  const raw: { seq: number; turn: number; links: object; characters: number; tokens: number }[] = []
  for (const message of visibleOf(model)) {
    const content = contentOf(message)
    const rules = { kind: model.kind, groupTurnMessages: GROUP_TURN }
    totals = nextTotals(totals, { role: message.role, content }, sizeOf(content), rules)
    if (message.seq <= cursor) continue
    raw.push({ seq: message.seq, turn: totals.turn, links: contentLinks(content), ...sizeOf(content) })
  }
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
