import type { PresetName } from '../policy/index.ts'

/**
 * Who may set it. `request`: also for one request only. `session`: also for one session. `server`: while the server runs.
 * `start`: only when it starts, by a flag or the environment.
 */
export type Reach = 'request' | 'session' | 'server' | 'start'

/**
 * What a namespace may do with what the operator of a server has set: by the environment, by flags, or in the server's
 * own namespace. `max`: lower it, never raise it; none is above every number. `fixed`: nothing. `free`: anything.
 */
export type NamespaceRight = 'max' | 'fixed' | 'free'

type Read<Value> = { readonly value: Value } | { readonly allowed: string }

/** One setting: everything that the environment, the server, the command line and the documentation say of it. */
export interface Setting<Name extends string = string, Value = unknown> {
  readonly name: Name
  readonly environment: string
  readonly reach: Reach
  readonly namespace: NamespaceRight
  /** Fixed, but for a namespace that brings a key for its model. */
  readonly freeWithKey?: true
  /** `null`: none. */
  readonly default: unknown
  /** What it takes, in words. */
  readonly allowed: string
  readonly help: string
  /** In JSON. */
  readonly type: 'string' | 'number' | 'integer'
  /** Never shown: only whether it is set. */
  readonly secret?: true
  /** Those of the policy presets that know it; left out: it belongs to no policy. */
  readonly presets?: readonly PresetName[]
  /** Older names, the newest first. */
  readonly aliases: readonly string[]
  /** From JSON or from text. A value of `null` means none. */
  readonly read: (given: unknown) => Read<Value>
}

/** `fullContextTurns` is `PALIMPSEST_FULL_CONTEXT_TURNS`, `session.memo.instruct` `PALIMPSEST_SESSION_MEMO_INSTRUCT`. */
export function environmentName(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, letter => `_${letter}`).replaceAll('.', '_')
  return `PALIMPSEST_${words.toUpperCase()}`
}
