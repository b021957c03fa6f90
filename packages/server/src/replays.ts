import type { Prices } from '@palimpsest/replay'
import type { WhatIf } from '@palimpsest/replay/internals/what-if'
import { BoundedMap } from 'palimpsest/internals/bounded-map'
import { untilAborted } from 'palimpsest/internals/compaction/until-aborted'
import { PalimpsestError } from 'palimpsest/internals/errors'
import type { Message, NewMessage, SessionKind } from 'palimpsest/internals/log/index'
import type { Policy } from 'palimpsest/internals/policy/index'

/** Loaded at the first replay: few servers ever get one. */
const load = async () => {
  const [{ whatIf }, { sampleConversation }] = await Promise.all([
    import('@palimpsest/replay/internals/what-if'),
    import('@palimpsest/replay/internals/sample-conversation'),
  ])
  return { whatIf, sampleConversation }
}

/** The most answers that are kept. People move sliders back and forth, so the same questions come again. */
const MAX_KEPT = 64

/** The longest time of work without a pause, in milliseconds. Other calls have their turn in the pauses. */
const MAX_MS = 8

/** The most replays of one namespace that run or wait at the same time. */
const MAX_AT_ONCE = 8

interface Question {
  readonly policy: Policy
  readonly prices: Prices
  readonly groupTurnMessages: number
}

interface Caller {
  readonly namespace: string
  /** Ends the replay early when the caller no longer waits. */
  readonly signal: AbortSignal
}

interface Conversation {
  readonly kind: SessionKind
  readonly messages: readonly Message[]
}

/**
 * Replays conversations, one at a time in the whole process. One replay takes the time of thousands of other
 * calls, so a namespace may have only a few of them waiting. The sample and its answers are the same for all
 * callers, so some of these answers are kept.
 */
class Replays {
  /** The answer that was asked for last is forgotten last. */
  readonly #kept = new BoundedMap<string, WhatIf>(MAX_KEPT)
  readonly #atOnce = new Map<string, number>()
  #last: Promise<unknown> = Promise.resolve()

  /** `name` is equal for equal questions, and only for those. */
  async ofSample(name: string, question: Question, caller: Caller): Promise<WhatIf> {
    const known = () => this.#kept.get(name)
    const answer =
      known() ??
      (await this.#inTurn(caller, async pause => {
        const { whatIf, sampleConversation } = await load()
        // Another caller may have asked the same question in the meantime.
        return known() ?? whatIf({ ...question, messages: sampleConversation(), kind: 'private', pause })
      }))
    this.#kept.set(name, answer)
    return answer
  }

  /**
   * `read` is called when the turn of this replay has come, so that waiting
   * replays hold no messages in memory.
   */
  ofSession(read: () => Promise<Conversation>, question: Question, caller: Caller): Promise<WhatIf> {
    return this.#inTurn(caller, async pause => {
      const { whatIf } = await load()
      const { kind, messages } = await read()
      return whatIf({ ...question, kind, messages: messages.map(asNew), pause })
    })
  }

  async #inTurn(caller: Caller, work: (pause: () => Promise<void>) => Promise<WhatIf>): Promise<WhatIf> {
    const { namespace, signal } = caller
    const atOnce = this.#atOnce.get(namespace) ?? 0
    if (atOnce >= MAX_AT_ONCE) throw tooMany()
    this.#atOnce.set(namespace, atOnce + 1)
    const answer = this.#last.then(() => {
      signal.throwIfAborted()
      return work(pausing(signal))
    })
    this.#last = answer.catch(() => {})
    return untilAborted(answer, signal).finally(() => this.#leave(namespace))
  }

  #leave(namespace: string): void {
    const left = this.#atOnce.get(namespace)! - 1
    if (left === 0) this.#atOnce.delete(namespace)
    else this.#atOnce.set(namespace, left)
  }
}

function pausing(signal: AbortSignal): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MAX_MS) return
    await new Promise(resolve => setImmediate(resolve))
    signal.throwIfAborted()
    since = performance.now()
  }
}

function tooMany(): PalimpsestError {
  return new PalimpsestError(
    'rate_limited',
    `At most ${MAX_AT_ONCE} replays of a namespace are taken at once. Try again in a moment.`,
    { limitAtOnce: MAX_AT_ONCE, retryAfter: '1' },
  )
}

/** Makes a message new again. Its time is when it was said; that a log holds it already does not matter. */
function asNew({ role, content, sender, at, zone, replyTo }: Message): NewMessage {
  return { role, content, sender, at: at.getTime(), zone, replyTo, externalId: null }
}

export const replays = new Replays()
