import type { Pace } from 'palimpsest/internals/finding/pace'
import type { Message } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import type { InSteps } from 'palimpsest/internals/slices'
import { type Alignment, alignWhole, type Known, type Sending } from './align.ts'
import type { Prints } from './fingerprint.ts'
import { inPieces } from './in-pieces.ts'

/**
 * Prefix of the external ids that this route stores. It tells these messages from those of other programs.
 */
export const MARK = 'chat-completion:'
/** Prefix of the external ids of the replies of turns. */
const REPLY_MARK = 'turn:'

/**
 * How many messages more than the client sent are read from the log: some the client need
 * not know, and some are later replies.
 */
export const MORE_OF_OURS = 100

/** Messages that are read in one step. */
const PAGE = 250
const MAX_OF_OURS = 4_000

/** The end of a session's log, and how a list lies on it. */
export interface Laid extends Alignment {
  readonly session: Session
  readonly ours: readonly Message[]
}

/** What all comparisons of one request share. */
export interface Comparing {
  readonly prints: Prints
  readonly pace: Pace
}

/**
 * Aligns the list with the end of the log. It reads one page first. If the result is not clear, it reads as
 * many messages as the client sent and `MORE_OF_OURS` more. With `isDeep`, and if their last reply is not
 * found there, it reads up to `MAX_OF_OURS`.
 */
export async function layOnto(
  session: Session,
  sending: Sending,
  { isDeep, ...comparing }: Comparing & { readonly isDeep: boolean },
): Promise<Laid> {
  const end = new LogEnd(session, comparing)
  const usual = Math.min(MAX_OF_OURS, sending.prints.length + MORE_OF_OURS)
  const readTo = async (most: number) => {
    await end.readTo(most)
    return alignWhole(end.known, sending, { isWholeLog: end.isWhole })
  }
  let alignment = await readTo(Math.min(PAGE, usual))
  if (!alignment.isClear && usual > PAGE && !end.isWhole) alignment = await readTo(usual)
  if (alignment.anchor === null && isDeep && !end.isWhole) alignment = await readTo(MAX_OF_OURS)
  return { ...alignment, session, ours: end.messages }
}

class LogEnd {
  readonly #session: Session
  readonly #comparing: Comparing
  #messages: readonly Message[] = []
  #known: readonly Known[] = []
  #isWhole = false

  constructor(session: Session, comparing: Comparing) {
    this.#session = session
    this.#comparing = comparing
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  get known(): readonly Known[] {
    return this.#known
  }

  get isWhole(): boolean {
    return this.#isWhole
  }

  async readTo(most: number): Promise<void> {
    while (!this.#isWhole && this.#messages.length < most) {
      const limit = Math.min(PAGE, most - this.#messages.length)
      await this.#comparing.pace.keep()
      const page = await readEnd(this.#session, limit, this.#messages[0]?.seq)
      const known = await inPieces(page, this.#comparing.pace, message => this.#toKnown(message))
      this.#messages = [...page, ...this.#messages]
      this.#known = [...known, ...this.#known]
      this.#isWhole = page.length < limit
    }
  }

  *#toKnown(message: Message): InSteps<Known> {
    const { externalId } = message
    const isOurs = externalId?.startsWith(MARK) || externalId?.startsWith(REPLY_MARK)
    return { ...(yield* this.#comparing.prints.inSteps(message)), isElsewhere: !isOurs }
  }
}

export async function readEnd(session: Session, limit: number, before?: number): Promise<readonly Message[]> {
  return session.messages({ from: 'newest', limit, ...(before !== undefined && { before }) })
}
