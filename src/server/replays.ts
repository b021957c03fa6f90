import type { Prices } from '../lab/index.ts'
import type { WhatIf, WhatIfOptions } from '../lab/what-if.ts'
import type { Message, NewMessage, SessionKind } from '../log/index.ts'
import type { Policy } from '../policy/index.ts'

/** Loaded when somebody asks: few servers are asked at all. */
const load = async () => {
  const [{ whatIf }, { sampleConversation }] = await Promise.all([
    import('../lab/what-if.ts'),
    import('../lab/sample-conversation.ts'),
  ])
  return { whatIf, sampleConversation }
}

/** Sliders are moved to and fro. */
const MOST_KEPT = 64

/** What may be done at a stretch: others have their turn in between. */
const LONGEST_MS = 8

interface Question {
  readonly policy: Policy
  readonly prices: Prices
  readonly groupTurnMessages: number
}

/**
 * Replays of conversations, one at a time in the whole process, since each takes the time of thousands of other calls.
 * The sample is the same for everybody, and so are the answers about it: some are kept.
 */
class Replays {
  readonly #kept = new Map<string, Promise<WhatIf>>()
  #last: Promise<unknown> = Promise.resolve()

  /** `name`: the same for equal questions, and for no others. */
  ofSample(name: string, question: Question): Promise<WhatIf> {
    const kept = this.#kept.get(name)
    const answer = kept ?? this.#runSample(question)
    // The one that was asked for last is last.
    this.#kept.delete(name)
    this.#kept.set(name, answer)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    if (!kept) answer.catch(() => this.#kept.delete(name))
    return answer
  }

  async #runSample(question: Question): Promise<WhatIf> {
    const { sampleConversation } = await load()
    return this.#inTurn({ ...question, messages: sampleConversation(), kind: 'private' })
  }

  /** Ends early once nobody waits for it any more. */
  ofSession(
    session: { readonly messages: readonly Message[]; readonly kind: SessionKind },
    question: Question & { readonly signal: AbortSignal },
  ): Promise<WhatIf> {
    const { signal, ...asked } = question
    return this.#inTurn({ ...asked, kind: session.kind, messages: session.messages.map(asNew) }, signal)
  }

  #inTurn(options: WhatIfOptions, signal?: AbortSignal): Promise<WhatIf> {
    const answer = this.#last.then(async () => {
      const { whatIf } = await load()
      let since = performance.now()
      const pause = async () => {
        if (performance.now() - since < LONGEST_MS) return
        await new Promise(resolve => setImmediate(resolve))
        signal?.throwIfAborted()
        since = performance.now()
      }
      signal?.throwIfAborted()
      return whatIf({ ...options, pause })
    })
    this.#last = answer.catch(() => {})
    return answer
  }
}

/** Its time is when it was said; that it is in a log already is no part of it. */
function asNew({ role, content, sender, at, zone, replyTo }: Message): NewMessage {
  return { role, content, sender, at: at.getTime(), zone, replyTo, externalId: null }
}

export const replays = new Replays()
