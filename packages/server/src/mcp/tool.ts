import type { Language } from 'palimpsest/internals/language/index'
import type { Scope } from 'palimpsest/internals/store/index'
import type { McpAccess } from './access.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** The arguments of a tool, as a JSON schema. */
export interface Parameters {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

/** The result of a tool: as data, and as the text that a model reads. */
export interface Outcome {
  readonly data: Readonly<Record<string, unknown>>
  readonly text: string
  readonly isError?: true
}

export interface Tool {
  readonly name: string
  readonly description: (language: Language) => string
  /** The parameters without `session`. */
  readonly parameters: (access: McpAccess, language: Language) => Parameters
  readonly needs: Scope
  readonly isIdempotent: boolean
  /** `args` holds no nulls and no session. Throws a `PalimpsestError` for an argument that cannot be used. */
  readonly execute: (access: McpAccess, sessionId: string, args: Arguments) => Promise<Outcome>
}

/**
 * A refusal that tells the model what is wrong, so that it can try again. It has the same form as the
 * refusals of the memory tools.
 */
export function refusal(message: string, more: object = {}): Outcome {
  return { data: { error: message, ...more }, text: message, isError: true }
}
