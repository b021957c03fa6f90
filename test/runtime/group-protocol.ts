import type { IncomingMessage, OutgoingMessage, Received } from '../../packages/bot/src/index.ts'

/** What the two processes of the simulated group say to each other: the parent is the platform, the child the bot. */

export const CHANNEL = 'group'
export const CHAT = 'room'
export const SESSION = `${CHANNEL}:${CHAT}`
/** Small, so that it folds all the time. */
export const BUDGET = 4_000
export const QUIET_MS = 1_500

export interface ChildOptions {
  /** As `test/stores.ts` gives it. */
  readonly address: string
  readonly postgresUrl: string
  readonly seed: number
  /** What its clock says at first. */
  readonly now: number
  /** At which step of the database it kills itself; 0: at none. */
  readonly dieAt: number
}

/** Answered by `done` with the same number, `returned` aside. */
export type ToChild =
  | { readonly type: 'receive'; readonly call: number; readonly message: WireMessage }
  | { readonly type: 'pass'; readonly call: number; readonly ms: number; readonly isCalm: boolean }
  | { readonly type: 'drain'; readonly call: number }
  | { readonly type: 'close'; readonly call: number }
  | { readonly type: 'die-after'; readonly call: number; readonly steps: number }
  | { readonly type: 'returned'; readonly call: number; readonly answer: PlatformAnswer }

export type ToParent =
  | { readonly type: 'ready' }
  | ({ readonly type: 'done'; readonly call: number } & Done)
  | { readonly type: 'platform'; readonly call: number; readonly request: PlatformRequest }
  | { readonly type: 'asked'; readonly seqs: readonly number[]; readonly calms: number }
  | { readonly type: 'context'; readonly tokens: number }
  | { readonly type: 'problem'; readonly text: string }

export interface Done {
  readonly received?: Received
  readonly error?: string
  /** How often by then all that was left waited for the clock. */
  readonly calms: number
}

type WireMessage = Omit<IncomingMessage, 'at'> & { readonly at: number }

export type PlatformRequest =
  | { readonly method: 'send'; readonly message: OutgoingMessage }
  | { readonly method: 'edit'; readonly message: OutgoingMessage & { readonly id: string } }
  | { readonly method: 'typing' }

export type PlatformAnswer =
  | { readonly id: string }
  | { readonly refusal: string; readonly retryAfterMs: number | null }
