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
  /** No other session ever has it, whatever its name. */
  readonly number: number
  readonly createdAt: Date
  readonly origin: { readonly sessionId: string; readonly seq: number } | null
  readonly settings: Readonly<Record<string, unknown>>
  /** In which those of its messages were said that name none; `null`: not known. */
  readonly zone: string | null
  readonly epoch: number
  /** The epoch that it began with. One of this name that was erased had lower ones. */
  readonly firstEpoch: number
  readonly state: FoldState
  /** Contexts begin after this message; 0: with the first. */
  readonly beginsAfter: number
  /** The newest visible message; `null` in an empty session. */
  readonly head: Head | null
  /** The instant of that message, which is not when it reached the log. */
  readonly lastMessageAt: Date | null
  readonly segments: number
  /** Of those that are shown. The state's figure has those of the pins, too. */
  readonly segmentTokens: number
  readonly memo: Memo | null
  readonly pending: Decision | null
  readonly dueAt: Date | null
  /** Until when somebody holds the lease on it; `null`: nobody does. */
  readonly leaseUntil: Date | null
  readonly failures: number
  /** How models' own token counts relate to ours: as learned, and as this epoch began with. */
  readonly calibrations: { readonly learned: Calibrations; readonly inForce: Calibrations }
  readonly lastOutcome: Readonly<Record<string, unknown>> | null
  /** Of this epoch; `null`: no context has been made in it. */
  readonly layers: FrozenLayers | null
  /** That of the newest epoch in which a context was made; `null`: none was, or nothing has told it yet. */
  readonly language: Language | null
  /** The newest message that user or scope memory was extracted from. */
  readonly extractedThrough: number
  /** Messages that were edited since, and are to be read again; left out: there are none. */
  readonly unlearned?: readonly number[]
}

export interface SessionMeasures {
  /** The fixed part of a call (instructions, tools, output reserve), as last measured. */
  readonly overheadTokens?: number
  /** As learned from providers' figures; they hold from the next epoch on. */
  readonly calibrations?: Calibrations
}

/** How large a log was with a message in it. */
export interface GrowthPoint {
  readonly seq: number
  /** The message's instant. */
  readonly at: Date
  /** Of all messages through this one, as they were when they came. */
  readonly tokens: number
}

/** Gives a session what it is without. */
export interface Assignment {
  readonly user: string | null
  readonly scope: string | null
  /** Left out: nothing is extracted. */
  readonly extraction?: ExtractionRules
  readonly now: number
}

export interface AssignmentReceipt {
  /** Empty: it had them already, and nothing has changed. */
  readonly assigned: readonly AssignableTrait[]
  /** As an append's. */
  readonly extractAt: number | null
}

/** What a session is, and which sessions there are. */
export interface SessionStore {
  /** `null` where there is none. A cursor that makes no sense is taken as none, with a warning. */
  readSession(key: SessionKey): Promise<SessionRecord | null>
  /**
   * In ascending order of their ids as bytes, those above `after`. Ids that agree in their first 200
   * characters have some order of their own, which stays. With `contains`: those whose id contains it, whatever the
   * case of letters of ASCII.
   */
  listSessions(
    namespace: string,
    page: { after?: string; limit: number; contains?: string },
  ): Promise<readonly SessionRecord[]>
  /**
   * Those in which something happened last, the newest first, as far as the newest few thousand events of the store
   * tell: it costs the same however many sessions and events there are.
   */
  listRecentSessions(
    namespace: string,
    page: { limit: number; contains?: string },
  ): Promise<readonly SessionRecord[]>
  /**
   * The running total of tokens at so many of the visible messages (2 or more), evenly spread, the first and the newest
   * included, in ascending order; where there are fewer messages, at each. It costs what it answers with.
   */
  readGrowth(key: SessionKey, points: number): Promise<readonly GrowthPoint[]>
  /** What was measured of a session's calls; what is left out stays. It is one write. */
  recordMeasures(key: SessionKey, measures: SessionMeasures): Promise<void>
  /**
   * Gives a session the user or the scope that it is without, each once: from then on it is as though it had been
   * created so, with all that was said in it before. Begins an epoch, since other memory is shown now; folds in flight
   * go on, and extractions in flight are void. What it has already changes nothing; another one is a
   * `SessionMismatchError`.
   */
  assignTraits(key: SessionKey, assignment: Assignment): Promise<AssignmentReceipt>
  /**
   * What there is to be seen of a session now, for the key of later writes. Where there is none, a session that comes to
   * bear the name is taken for it, until one of the name is erased.
   */
  readSeen(key: SessionKey): Promise<SeenSession>
  /** Refuses as a write with this key would be. What it allows may be erased right after: a write asks once more. */
  checkSeen(key: SessionKey): Promise<void>
}
