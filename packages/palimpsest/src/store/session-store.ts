import type { Language } from '../language/index.ts'
import type { Memo } from '../log/index.ts'
import type { Decision, FoldState, Head } from '../policy/index.ts'
import type { FrozenLayers } from './document.ts'
import type { ExtractionRules } from './extraction-store.ts'
import type { SeenSession } from './seen.ts'
import type { SessionKey } from './session-key.ts'
import type { AssignableTrait, SessionTraits } from './session-traits.ts'

type Calibrations = Readonly<Record<string, unknown>>

export interface SessionRecord extends SessionTraits {
  readonly id: string
  /** No other session ever has this number, whatever its name is. */
  readonly number: number
  readonly createdAt: Date
  readonly origin: { readonly sessionId: string; readonly seq: number } | null
  readonly settings: Readonly<Record<string, unknown>>
  /** The time zone of its messages that name none. `null`: it is not known. */
  readonly zone: string | null
  readonly epoch: number
  /** The epoch that the session began with. An erased session of the same name had lower epochs. */
  readonly firstEpoch: number
  readonly state: FoldState
  /** Contexts begin after this message. 0: they begin with the first message. */
  readonly beginsAfter: number
  /** The newest visible message. `null`: the session is empty. */
  readonly head: Head | null
  /** The instant of that message, which is not when it reached the log. */
  readonly lastMessageAt: Date | null
  readonly segments: number
  /** The tokens of the segments that are shown. The figure in `state` includes the pins too. */
  readonly segmentTokens: number
  readonly memo: Memo | null
  readonly pending: Decision | null
  readonly dueAt: Date | null
  /** When the lease on the session ends. `null`: there is no holder. */
  readonly leaseUntil: Date | null
  readonly failures: number
  /** How the token counts of models relate to ours: as learned so far, and as this epoch began with. */
  readonly calibrations: { readonly learned: Calibrations; readonly inForce: Calibrations }
  readonly lastOutcome: Readonly<Record<string, unknown>> | null
  /** The frozen layers of this epoch. `null`: no context has been made in it. */
  readonly layers: FrozenLayers | null
  /**
   * The language of the newest epoch in which a context was made. `null`: no context was made, or nothing
   * that was said has told the language yet.
   */
  readonly language: Language | null
  /** The newest message that user or scope memory was extracted from. */
  readonly extractedThrough: number
  /** Messages that were edited since, and are to be read again. Left out: there are none. */
  readonly unlearned?: readonly number[]
}

export interface SessionMeasures {
  /** The fixed part of a call (instructions, tools, output reserve), as last measured. */
  readonly overheadTokens?: number
  /** As learned from the figures of providers. They hold from the next epoch on. */
  readonly calibrations?: Calibrations
}

/** The size of a log at one of its messages. */
export interface GrowthPoint {
  readonly seq: number
  /** The instant of the message. */
  readonly at: Date
  /** The tokens of all messages through this one. Each counts with its size at the time when it came. */
  readonly tokens: number
}

/** Gives a session traits that it lacks. */
export interface Assignment {
  readonly user: string | null
  readonly scope: string | null
  /** Left out: nothing is extracted. */
  readonly extraction?: ExtractionRules
  readonly now: number
}

export interface AssignmentReceipt {
  /** Empty: the session had these traits already, and nothing has changed. */
  readonly assigned: readonly AssignableTrait[]
  /** The same as in `AppendReceipt`. */
  readonly extractAt: number | null
}

/** What a session is, and which sessions there are. */
export interface SessionStore {
  /** `null`: there is no such session. A cursor that makes no sense counts as none, with a warning. */
  readSession(key: SessionKey): Promise<SessionRecord | null>
  /**
   * In ascending order of their ids as bytes. Only sessions above `after` are listed. Ids that agree in their
   * first 200 characters have an order of their own, which stays the same. With `contains`: only sessions
   * whose id contains this text; the case of ASCII letters does not matter.
   */
  listSessions(
    namespace: string,
    page: { after?: string; limit: number; contains?: string },
  ): Promise<readonly SessionRecord[]>
  /**
   * The sessions in which something happened last, the newest first. Only the newest few thousand events of
   * the store are looked at, so the call costs the same for any number of sessions and events.
   */
  listRecentSessions(
    namespace: string,
    page: { limit: number; contains?: string },
  ): Promise<readonly SessionRecord[]>
  /**
   * The running total of tokens at some of the visible messages, in ascending order. `points` is 2 or more:
   * that many messages are chosen, evenly spread, always with the first and the newest. If there are fewer
   * messages, each one is in the answer. The call costs as much as its answer is long.
   */
  readGrowth(key: SessionKey, points: number): Promise<readonly GrowthPoint[]>
  /** Stores what was measured of a session's calls, in one write. A field that is left out stays as it is. */
  recordMeasures(key: SessionKey, measures: SessionMeasures): Promise<void>
  /**
   * Gives a session the user or the scope that it lacks; each can be given once. From then on all is as if
   * the session had been created with it, for everything that was said before too. The change begins an
   * epoch, because other memory is shown now. Folds in flight go on, and extractions in flight are void. A
   * trait that the session has already changes nothing. A different value fails with a
   * `SessionMismatchError`.
   */
  assignTraits(key: SessionKey, assignment: Assignment): Promise<AssignmentReceipt>
  /**
   * What can be seen of a session now, for the key of later writes. If there is no session, the next session
   * of this name counts as the one that was seen, until a session of this name is erased.
   */
  readSeen(key: SessionKey): Promise<SeenSession>
  /**
   * Fails in the same way as a write with this key would. What it allows may be erased right afterwards: a
   * write checks again.
   */
  checkSeen(key: SessionKey): Promise<void>
}
