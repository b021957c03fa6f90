import type { PresetName } from '../policy/index.ts'

/**
 * Where a setting may be set. `request`: also for one request. `session`: also for one session. `server`:
 * while the server runs. `start`: only when the server starts, by a flag or the environment.
 */
export type Reach = 'request' | 'session' | 'server' | 'start'

/**
 * What a namespace may do with a value that the operator of a server has set by the environment, by flags, or
 * in the server's own namespace. `max`: it may lower the value and never raise it; no limit is above every
 * number. `fixed`: it may not change it. `free`: it may set anything.
 */
export type NamespaceRight = 'max' | 'fixed' | 'free'

type Read<Value> = { readonly value: Value } | { readonly allowed: string }

/**
 * One setting: everything that the environment, the server, the command line and the documentation say about
 * it.
 */
export interface Setting<Name extends string = string, Value = unknown> {
  readonly name: Name
  readonly environment: string
  readonly reach: Reach
  readonly namespace: NamespaceRight
  /** The setting is fixed, unless the namespace brings its own key for its model. */
  readonly freeWithKey?: true
  /** `null`: no default. */
  readonly default: unknown
  /** The allowed values, in words. */
  readonly allowed: string
  readonly help: string
  /** The type in JSON. */
  readonly type: 'string' | 'number' | 'integer'
  /** The value is never shown, only whether it is set. */
  readonly secret?: true
  /** The policy presets that have this parameter. Left out: it belongs to no policy. */
  readonly presets?: readonly PresetName[]
  /** The newest first. */
  readonly aliases: readonly string[]
  /** Takes JSON or text. A value of `null` means none. */
  readonly read: (given: unknown) => Read<Value>
}

/**
 * `fullContextTurns` becomes `PALIMPSEST_FULL_CONTEXT_TURNS`, and `session.memo.instruct` becomes
 * `PALIMPSEST_SESSION_MEMO_INSTRUCT`.
 */
export function environmentName(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, letter => `_${letter}`).replaceAll('.', '_')
  return `PALIMPSEST_${words.toUpperCase()}`
}
