import { BoundedMap } from 'palimpsest/internals/bounded-map'
import { SessionMismatchError } from 'palimpsest/internals/errors'
import type { MessageInput } from 'palimpsest/internals/log/index'
import type { Palimpsest, SessionOptions } from 'palimpsest/internals/palimpsest'
import type { Appended, AppendOptions, Session } from 'palimpsest/internals/session'

/** A chat as a bot sees it. */
export interface OpenedSession {
  /** The session as it is stored, whatever its kind or its user. */
  readonly session: Session
  /** The kind, user and scope that the platform and the bot's owner state. */
  readonly traits: SessionOptions
}

/**
 * How many chats are remembered as reported. Beyond it the oldest is forgotten; at worst it is reported
 * again.
 */
const MAX_REPORTED = 10_000

/**
 * Stores a message even where the chat's stored traits contradict the bot's. No message is lost for that: it
 * is stored in the chat as it is, and the contradiction is reported once a chat. A user or scope that the
 * chat lacks is assigned.
 */
export class Belonging {
  readonly #palimpsest: Palimpsest
  readonly #report: (error: unknown, sessionId: string) => void
  /** Sessions whose contradiction was reported, the oldest first. */
  readonly #reported = new BoundedMap<string, true>(MAX_REPORTED)

  constructor(palimpsest: Palimpsest, report: (error: unknown, sessionId: string) => void) {
    this.#palimpsest = palimpsest
    this.#report = report
  }

  async append(
    { session, traits }: OpenedSession,
    input: MessageInput,
    options: AppendOptions,
  ): Promise<Appended> {
    try {
      const appended = await this.#palimpsest.session(session.id, traits).append(input, options)
      if (appended.unassigned) await this.#assign(session, traits, appended.unassigned)
      return appended
    } catch (error) {
      if (!(error instanceof SessionMismatchError)) throw error
      this.#reportOnce(error, session.id)
      return session.append(input, options)
    }
  }

  /** The message is stored already. A failure here is reported, and tried again with the next message. */
  async #assign(
    session: Session,
    { user, scope }: SessionOptions,
    missing: NonNullable<Appended['unassigned']>,
  ): Promise<void> {
    try {
      await session.assign({
        ...(user !== undefined && missing.includes('user') && { user }),
        ...(scope !== undefined && missing.includes('scope') && { scope }),
      })
    } catch (error) {
      if (error instanceof SessionMismatchError) this.#reportOnce(error, session.id)
      else this.#report(error, session.id)
    }
  }

  #reportOnce(error: SessionMismatchError, sessionId: string): void {
    if (this.#reported.has(sessionId)) return
    this.#reported.set(sessionId, true)
    this.#report(error, sessionId)
  }
}
