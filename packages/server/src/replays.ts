import type { Prices } from '@palimpsest/replay'
import type { WhatIf } from '@palimpsest/replay/internals/what-if'
import { BoundedMap } from 'palimpsest/internals/bounded-map'
import { untilAborted } from 'palimpsest/internals/compaction/until-aborted'
import { PalimpsestError } from 'palimpsest/internals/errors'
import type { Message, NewMessage, SessionKind } from 'palimpsest/internals/log/index'
import type { Policy } from 'palimpsest/internals/policy/index'

/** Loaded when somebody asks: few servers are asked at all. */
const load = async () => {
  const [{ whatIf }, { sampleConversation }] = await Promise.all([
    import('@palimpsest/replay/internals/what-if'),
    import('@palimpsest/replay/internals/sample-conversation'),
  ])
  return { whatIf, sampleConversation }
}

/** Sliders are moved to and fro. */
const MAX_KEPT = 64

/** What may be done at a stretch: others have their turn in between. */
const MAX_MS = 8

/** Of one namespace, under way or waiting for their turn. */
const MAX_AT_ONCE = 8

interface Question {
  readonly policy: Policy
  readonly prices: Prices
  readonly groupTurnMessages: number
}

interface Caller {
  readonly namespace: string
  /** What nobody waits for any more ends early. */
  readonly signal: AbortSignal
}

interface Conversation {
  readonly kind: SessionKind
  readonly messages: readonly Message[]
}

/**
 * Replays of conversations, one at a time in the whole process, since each takes the time of thousands of other calls:
 * so nobody may have many of them wait. The sample is the same for everybody, and so are the answers about it: some are
 * kept.
 */
class Replays {
  /** The answer that was asked for last is forgotten last. */
  readonly #kept = new BoundedMap<string, WhatIf>(MAX_KEPT)
  readonly #atOnce = new Map<string, number>()
  #last: Promise<unknown> = Promise.resolve()

  /** `name`: the same for equal questions, and for no others. */
  async ofSample(name: string, question: Question, caller: Caller): Promise<WhatIf> {
    const known = () => this.#kept.get(name)
    const answer =
      known() ??
      (await this.#inTurn(caller, async pause => {
        const { whatIf, sampleConversation } = await load()
        // Somebody may have asked the same meanwhile.
        return known() ?? whatIf({ ...question, messages: sampleConversation(), kind: 'private', pause })
      }))
    this.#kept.set(name, answer)
    return answer
  }

  /** `read` is called when its turn has come: of those that wait no messages are held. */
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

/** Its time is when it was said; that it is in a log already is no part of it. */
function asNew({ role, content, sender, at, zone, replyTo }: Message): NewMessage {
  return { role, content, sender, at: at.getTime(), zone, replyTo, externalId: null }
}

export const replays = new Replays()
