import { type Language, textsOf } from '../language/index.ts'
import { contentLinks, findCuts, type SessionKind } from '../log/index.ts'
import { MESSAGE_OVERHEAD_TOKENS } from '../tokens/index.ts'
import type { Omission, RawRules } from './context.ts'
import { shortHash } from './create-hash.ts'
import { MIN_CONVERSATION_TOKENS, type Needed, overflow } from './overflow.ts'
import {
  type ContextMessage,
  type RenderedMessage,
  type RenderRules,
  renderMessage,
} from './render-message.ts'
import { type Conversation, repairConversation } from './repair.ts'
import { reportOmissions } from './report-omissions.ts'
import { note, type SentMessage } from './sent-message.ts'
import { type ContextSegment, type MemorySelection, type Pinned, selectMemory } from './session-memory.ts'
import type { FixedPart, View } from './view.ts'

/** A session as far as a context needs it, read at one instant. */
export interface ContextSource {
  readonly kind: SessionKind
  /** The language of all that the engine itself writes in the context. */
  readonly language: Language
  readonly epoch: number
  /** The cursor: all messages above it are raw. */
  readonly compactedThrough: number
  /**
   * The newest message before the newest beginning. Nothing up to it is in this source. 0: there is no new
   * beginning.
   */
  readonly beginsAfter: number
  /** The segments that are not rolled up, oldest first. */
  readonly segments: readonly ContextSegment[]
  readonly pins: readonly Pinned[]
  /** All messages above the cursor. */
  readonly raw: { readonly messages: number; readonly tokens: number }
  /**
   * The newest messages without a gap, oldest first. Of those above the cursor they hold at least what fits
   * the view. For a view that unfolds they also hold some below the cursor.
   */
  readonly messages: readonly ContextMessage[]
  /** The log has nothing older than the first of `messages`. */
  readonly isWhole: boolean
  /** From this message on, the order differs from the log. So no later context begins like this one. */
  readonly settledBelow?: number
}

/**
 * What is shown as it was said, what stands for the rest, and how. Only the words of the interim are missing.
 */
export interface ContextPlan {
  /**
   * Names everything that decided the bytes. Two plans of one session with the same name extend each other.
   */
  readonly view: string
  readonly fixed: FixedPart
  readonly memory: MemorySelection
  /** Messages above the cursor that are not shown. Their main points take at most `tokens`. */
  readonly interim: InterimPlan | null
  readonly raw: RawRules
  readonly conversation: Conversation
  /** The context begins inside a turn because its beginning was moved there. The session memory says so. */
  readonly beginsInTurn: boolean
  /** The note at the very end, where the log ends with the assistant. */
  readonly closing: SentMessage | null
  readonly omitted: readonly Omission[]
}

export interface InterimPlan {
  readonly fromSeq: number
  readonly toSeq: number
  readonly tokens: number
  readonly count: number
}

/**
 * Tried in order until the context fits: less and less of the memory, and less and less of each large
 * message.
 */
const TRIES = [
  { memoryShare: 0.5, clipShare: 0.7 },
  { memoryShare: 0.4, clipShare: 0.4 },
  { memoryShare: 0.25, clipShare: 0.2 },
  { memoryShare: 0.15, clipShare: 0.08 },
] as const

/** Providers want a user's message at the end. */
export function closingNote(language: Language): string {
  const { roles, messages } = textsOf(language)
  return `[${roles.system}]: ${messages.noNewMessage}`
}

const MIN_CLIP_TOKENS = 40
/** The frame of the session memory, and the notes at the beginning and the end of a conversation. */
const FRAME_TOKENS = 40
/**
 * What an interim takes beside its text. Where it stands alone in the session memory, it also takes the frame
 * of the session memory.
 */
const INTERIM_FRAME_TOKENS = 90
const INTERIM_HEADING_TOKENS = 24
/** The line of the session memory about a beginning inside a turn, in any language. */
const IN_TURN_TOKENS = 40
/**
 * How much more may be dropped so that the context begins with a turn. It is a share of the smaller of two
 * amounts: what a step drops and what it leaves.
 */
const MAX_LOST_TO_TURN = 0.5
/** The same share for a beginning between groups. */
const MAX_LOST_TO_GROUP = 0.75
/** How many steps further back a context may reach when old tool results are left out of it. */
const MAX_STUBBED_STEPS = 3

/**
 * Decides what a context shows. It is pure: the same session and view give the same plan.
 *
 * As long as it fits, all raw messages are shown. When they do not fit, notes replace old tool results first.
 * If that is not enough, the beginning moves up in large steps, to the start of a turn where one is near. So
 * the prefix only grows between two steps. Of a turn that is larger than the window the newest part stays.
 */
export function planContext(source: ContextSource, view: View, render = renderer(source, view)): ContextPlan {
  const { fixed } = view
  const room = view.budget - fixed.tokens - view.volatileReserve
  const missed: Needed[] = []
  const pins = source.pins.map(({ id }) => id).join()
  const fingerprint = [view.reasoning, pins && shortHash(pins), source.language].join('/')
  if (room >= MIN_CONVERSATION_TOKENS)
    for (const mayLoseCalls of [false, true])
      for (const [attempt, shares] of TRIES.entries()) {
        const options = { room, shares, attempt, fingerprint, render, missed, mayLoseCalls }
        const plan = new Attempt(source, view, options).plan()
        if (plan) return plan
      }
  throw overflow(view, missed)
}

export type Renderer = (message: ContextMessage, clipTokens: number) => RenderedMessage

function renderer({ kind, language }: ContextSource, { reasoning }: View): Renderer {
  return (message, clipTokens) =>
    renderMessage(message, { kind, reasoning, clipTokens, language } satisfies RenderRules)
}

interface AttemptOptions {
  /**
   * The room beside all that memory may take. Segments are chosen first, then what memory shows beside them.
   */
  readonly room: number
  readonly shares: (typeof TRIES)[number]
  readonly attempt: number
  /** Names what else decides the bytes. */
  readonly fingerprint: string
  readonly render: Renderer
  /** Receives the needs of each plan that did not fit. */
  readonly missed: Needed[]
  /**
   * A person's word to a call may be shown without the call. This is the last resort, for calls that do not
   * fit even when clipped as far as possible.
   */
  readonly mayLoseCalls: boolean
}

class Attempt {
  readonly #source: ContextSource
  readonly #view: View
  readonly #options: AttemptOptions
  readonly #memoryRoom: number
  /** Chosen from all segments and pins: what a context that begins above all of them would show. */
  readonly #memory: MemorySelection
  readonly #fixed: FixedPart
  /** For all messages together. */
  readonly #capacity: number
  readonly #clipTokens: number
  readonly #interimTokens: number
  /** The first message of the list above the cursor. */
  readonly #firstRaw: number
  /** The first message of the list that would be shown if there were room for everything. */
  readonly #first: number
  /** For each message the tokens from it to the end, with large messages clipped. */
  readonly #suffix: Float64Array
  #isLegal: ((index: number) => boolean) | null = null

  constructor(source: ContextSource, view: View, options: AttemptOptions) {
    const { room, shares } = options
    this.#source = source
    this.#view = view
    this.#options = options
    this.#memoryRoom = Math.floor(room * shares.memoryShare)
    this.#memory = selectMemory(source, this.#memoryRoom)
    this.#fixed = this.#fixedBeside(this.#memory)
    this.#capacity = this.#roomBeside(this.#fixed) - this.#memory.tokens - FRAME_TOKENS
    this.#clipTokens = Math.max(MIN_CLIP_TOKENS, Math.floor(this.#capacity * shares.clipShare))
    this.#interimTokens = Math.min(800, Math.max(40, Math.floor(this.#capacity / 8)))
    this.#suffix = suffixSums(source.messages, this.#clipTokens)
    const firstRaw = source.messages.findIndex(message => message.seq > source.compactedThrough)
    this.#firstRaw = firstRaw === -1 ? source.messages.length : firstRaw
    this.#first = this.#firstShown()
  }

  /**
   * The same segments give the same fixed part. So the choice of segments alone decides which lines memory
   * leaves out.
   */
  #fixedBeside({ segments }: MemorySelection): FixedPart {
    return this.#view.fixedBeside?.(segments) ?? this.#view.fixed
  }

  #roomBeside(fixed: FixedPart): number {
    return this.#view.budget - fixed.tokens - this.#view.volatileReserve
  }

  plan(): ContextPlan | null {
    const { mayLoseCalls } = this.#options
    if (this.#source.messages.length === 0) return this.#planFrom(0, 0)
    const whole = this.#isAllRead() && !this.#isTooMany() ? this.#planFrom(this.#first, 0) : null
    if (whole) return whole
    const least = this.#leastSteps()
    const most = least + Math.ceil(this.#shownTokens() / this.#stepTokens)
    const tried = new Set<number>()
    for (let steps = least; steps <= most; steps++) {
      const wanted = this.#wantedAfter(steps)
      const nearest = this.#nearestStart(wanted)
      const starts = nearest === null ? [this.#groupStart(wanted.index), wanted.index] : [nearest]
      for (const start of starts) {
        if (tried.has(start)) continue
        tried.add(start)
        const plan =
          this.#planStubbed(start, steps) ?? this.#planFrom(start, 0) ?? this.#planTo(start, wanted.index)
        if (plan && (mayLoseCalls || !this.#losesAllowedCalls(start))) return plan
      }
    }
    return null
  }

  /**
   * An approval shows nothing but its call. If the context began between the two, nothing would be left to
   * carry out.
   */
  #losesAllowedCalls(start: number): boolean {
    const { messages } = this.#source
    const asking = messages.findLastIndex(({ role }) => role === 'assistant')
    if (asking === -1 || asking >= start) return false
    const answers = messages.slice(asking + 1).filter(({ turn }) => turn === messages[asking]!.turn)
    return answers.some(({ content }) => contentLinks(content).closes.some(isOfApproval))
  }

  /**
   * Above the cursor, or for a view that unfolds below it, where at most the low-water share of the room is
   * filled.
   */
  #firstShown(): number {
    const { messages, isWhole } = this.#source
    const { from, unfolds } = this.#view
    if (from !== null)
      return 'turn' in from ? indexOfTurn(messages, from.turn) : Math.max(0, messages.length - from.messages)
    const end = this.#firstRaw
    if (!unfolds || end === 0) return end
    const room = this.#capacity * this.#view.lowWater
    const below = this.#suffix[end] ?? 0
    // The message before the first one that was read is unknown: it may be a call that this first one
    // answers.
    let index = isWhole ? 0 : 1
    while (index < end && this.#suffix[index]! - below > room) index += 1
    const wanted = this.#wanted(index, room + below)
    return Math.min(end, this.#nearestStart(wanted) ?? end)
  }

  /** Whether everything that would be shown was read. */
  #isAllRead(): boolean {
    const { messages, raw } = this.#source
    return this.#first > this.#firstRaw || messages.length - this.#firstRaw >= raw.messages
  }

  #isTooMany(): boolean {
    const { mostMessages } = this.#view
    return mostMessages !== null && this.#shownMessages() > mostMessages
  }

  /** The number of messages that would be shown if there were room, read or not. */
  #shownMessages(): number {
    if (this.#isAllRead()) return this.#source.messages.length - this.#first
    return this.#source.raw.messages + this.#firstRaw - this.#first
  }

  /** The same in tokens. Messages that were not read count as they were measured. */
  #shownTokens(): number {
    const read = this.#suffix[this.#first] ?? 0
    if (this.#isAllRead()) return read
    const { messages, raw } = this.#source
    const measured = messages.slice(this.#firstRaw).reduce((sum, message) => sum + message.tokens, 0)
    return read + Math.max(0, raw.tokens - measured)
  }

  /** The most that is filled once not everything fits. */
  get #filled(): number {
    return this.#capacity - this.#interimTokens
  }

  /** How far one step goes. It is coarse, so that the prefix seldom breaks. */
  get #stepTokens(): number {
    return Math.max(1, this.#filled - Math.floor(this.#filled * this.#view.lowWater))
  }

  #leastSteps(): number {
    const excess = this.#shownTokens() - this.#filled
    return excess <= 0 ? 0 : Math.ceil(excess / this.#stepTokens)
  }

  /**
   * The first message from which the context is small enough after this many steps, and how small that is.
   */
  #wantedAfter(steps: number): Wanted {
    const { messages } = this.#source
    const tokens = steps === 0 ? Infinity : this.#shownTokens() - steps * this.#stepTokens
    const most = this.#mostShown()
    let index = this.#first
    while (index < messages.length - 1 && (this.#suffix[index]! > tokens || messages.length - index > most))
      index += 1
    return this.#wanted(index, index > this.#first ? tokens : Infinity)
  }

  /** If the number of messages decided, a later beginning loses nothing through the first of them. */
  #wanted(index: number, tokens: number): Wanted {
    const isTooLarge = (this.#suffix[index - 1] ?? 0) > tokens
    return { index, tokens: isTooLarge ? tokens : this.#suffix[index]! }
  }

  /** Where the context begins after this many steps. */
  #startAfter(steps: number): number {
    const wanted = this.#wantedAfter(steps)
    return this.#nearestStart(wanted) ?? this.#groupStart(wanted.index)
  }

  /** Where there are too many messages, their number moves in steps too. */
  #mostShown(): number {
    const { mostMessages } = this.#view
    if (mostMessages === null || !this.#isTooMany()) return Infinity
    const step = Math.max(1, Math.floor(mostMessages / 4))
    const shown = this.#shownMessages()
    return Math.max(1, shown - step * Math.ceil((shown - mostMessages) / step))
  }

  /**
   * The start of the next turn. Where that is far, the end of the group at this place. `null`: that is far
   * too. The step alone decides what is far. A later message is always further than that, so it moves no
   * beginning.
   */
  #nearestStart({ index: wanted, tokens }: Wanted): number | null {
    const { messages } = this.#source
    const lost = (index: number) => tokens - this.#suffix[index]!
    const near = Math.min(this.#stepTokens, this.#filled - this.#stepTokens)
    let between: number | null = null
    for (let index = wanted; index < messages.length && lost(index) <= near * MAX_LOST_TO_GROUP; index++) {
      if (!this.#isBetweenGroups(index)) continue
      if (lost(index) <= near * MAX_LOST_TO_TURN && this.#isTurnStart(index)) return index
      between ??= index
    }
    return between
  }

  /** The last place before this one where no call loses its result. */
  #groupStart(wanted: number): number {
    for (let index = wanted - 1; index > this.#first; index--) if (this.#isBetweenGroups(index)) return index
    return this.#first
  }

  #isBetweenGroups(index: number): boolean {
    this.#isLegal ??= legalStarts(this.#source.messages)
    return this.#isLegal(index)
  }

  #isTurnStart(index: number): boolean {
    const { messages, isWhole } = this.#source
    return index === 0 ? isWhole : messages[index - 1]!.turn !== messages[index]!.turn
  }

  /**
   * Tried before anything else is lost: the messages before `start` stay, without the results of their tools.
   */
  #planStubbed(start: number, steps: number): ContextPlan | null {
    const { messages } = this.#source
    if (!this.#isAllRead()) return null
    for (let fewer = Math.max(0, steps - MAX_STUBBED_STEPS); fewer < steps; fewer++) {
      const from = this.#startAfter(fewer)
      if (from >= start || !this.#hasResults(from, start)) continue
      const plan = this.#planFrom(from, messages[start]!.seq)
      if (plan) return plan
    }
    return null
  }

  /** For a group that is too large: the results before `wanted` are left out, so that its calls can stay. */
  #planTo(start: number, wanted: number): ContextPlan | null {
    if (start >= wanted || !this.#hasResults(start, wanted)) return null
    return this.#planFrom(start, this.#source.messages[wanted]!.seq)
  }

  #hasResults(from: number, to: number): boolean {
    return this.#source.messages
      .slice(from, to)
      .some(({ content }) => typeof content !== 'string' && content.some(part => part.type === 'tool-result'))
  }

  #planFrom(start: number, stubBelowSeq: number): ContextPlan | null {
    const { messages, epoch, language } = this.#source
    const { room, attempt, fingerprint, render } = this.#options
    const rendered = messages.slice(start).map(message => render(message, this.#clipTokens))
    const interim = this.#interim(start)
    const memory = this.#memoryBefore(messages[start]?.seq ?? Infinity)
    const fixed = memory === this.#memory ? this.#fixed : this.#fixedBeside(memory)
    const hasMessageBefore = memory.tokens > 0 || interim !== null
    const conversation = repairConversation(rendered, { stubBelowSeq, hasMessageBefore, language })
    const last = conversation.sent.at(-1)
    const closing = last?.message.role === 'assistant' ? note(closingNote(language), last.seq) : null
    const frameTokens = memory.tokens > 0 ? INTERIM_HEADING_TOKENS : INTERIM_FRAME_TOKENS
    const interimTokens = interim === null ? 0 : interim.tokens + frameTokens
    const beginsInTurn = hasMessageBefore && this.#isMovedIntoTurn(start)
    const saidTokens = memory.tokens + interimTokens + (beginsInTurn ? IN_TURN_TOKENS : 0)
    const memoryTokens = hasMessageBefore ? MESSAGE_OVERHEAD_TOKENS + saidTokens : 0
    const used = conversation.sent.reduce((sum, { tokens }) => sum + tokens, closing?.tokens ?? 0)
    if (memoryTokens + used > this.#roomBeside(fixed)) {
      this.#options.missed.push({ fixed, summary: memoryTokens, conversation: used })
      return null
    }
    const decided = [epoch, messages[start]?.seq ?? 0, stubBelowSeq, attempt, room, fixed.tokens]
    return {
      view: `${decided.join('.')}${beginsInTurn ? '+' : ''}.${fingerprint}/${fixed.hash}`,
      fixed,
      memory,
      interim,
      raw: { fromSeq: messages[start]?.seq ?? null, stubBelowSeq, clipTokens: this.#clipTokens },
      conversation,
      beginsInTurn,
      closing,
      omitted: reportOmissions({
        clippedLayers: fixed.clippedLayers,
        memory,
        skipped: interim,
        skippedBecause: this.#isTooMany() ? 'context_size' : 'over_budget',
        rendered,
        stubBelowSeq,
      }),
    }
  }

  /** A fold may also end inside a turn, but then its segment tells what was before. */
  #isMovedIntoTurn(start: number): boolean {
    const isMoved = start > this.#first || (this.#view.from === null && start < this.#firstRaw)
    return isMoved && start < this.#source.messages.length && !this.#isTurnStart(start)
  }

  /** The memory of what lies before the first message of a context. */
  #memoryBefore(startSeq: number): MemorySelection {
    const { pins, segments, language } = this.#source
    const before = {
      language,
      pins: pins.filter(({ seq }) => seq === null || seq < startSeq),
      segments: segments.filter(({ fromSeq }) => fromSeq < startSeq),
    }
    const isAll = before.pins.length === pins.length && before.segments.length === segments.length
    return isAll ? this.#memory : selectMemory(before, this.#memoryRoom)
  }

  /** It depends only on where the context begins, not on what else was read. */
  #interim(start: number): InterimPlan | null {
    const { messages, compactedThrough, raw } = this.#source
    const count = raw.messages - (messages.length - Math.max(start, this.#firstRaw))
    if (count <= 0) return null
    return {
      fromSeq: compactedThrough + 1,
      toSeq: messages[start] ? messages[start].seq - 1 : (messages.at(-1)?.seq ?? compactedThrough),
      tokens: this.#interimTokens,
      count,
    }
  }
}

const isOfApproval = (id: string) => id.startsWith('approval:')

/** Where a context should begin, and how many tokens it should show from there on. */
interface Wanted {
  readonly index: number
  readonly tokens: number
}

function indexOfTurn(messages: readonly ContextMessage[], turn: number): number {
  const index = messages.findIndex(message => message.turn >= turn)
  return index === -1 ? messages.length : index
}

function suffixSums(messages: readonly ContextMessage[], clipTokens: number): Float64Array {
  const sums = new Float64Array(messages.length + 1)
  for (let index = messages.length - 1; index >= 0; index--)
    sums[index] = sums[index + 1]! + Math.min(messages[index]!.tokens, clipTokens + MESSAGE_OVERHEAD_TOKENS)
  return sums
}

/**
 * Tells whether a context may begin with a message: within a turn, no call before that message is answered
 * after it. A result that came in a later turn is a note at its own place, wherever the context begins.
 */
function legalStarts(messages: readonly ContextMessage[]): (index: number) => boolean {
  return findCuts(
    messages.map(({ seq, turn, content }) => {
      const { opens, closes } = contentLinks(content)
      const inTurn = (id: string) => `${turn} ${id}`
      return { seq, turn, links: { opens: opens.map(inTurn), closes: closes.map(inTurn) } }
    }),
  )
}
