import type { Language } from 'palimpsest/internals/language/index'
import type { Scope } from 'palimpsest/internals/store/index'
import type { McpAccess } from './access.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** What a tool takes, as a JSON schema. */
export interface Parameters {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

/** What a tool came to: as data, and as the text that a model reads. */
export interface Outcome {
  readonly data: Readonly<Record<string, unknown>>
  readonly text: string
  readonly isError?: true
}

export interface Tool {
  readonly name: string
  readonly description: (language: Language) => string
  /** Without the session. */
  readonly parameters: (access: McpAccess, language: Language) => Parameters
  readonly needs: Scope
  readonly isIdempotent: boolean
  /** `args` has no nulls, and no session. Throws a `PalimpsestError` where something cannot be taken. */
  readonly execute: (access: McpAccess, sessionId: string, args: Arguments) => Promise<Outcome>
}

/** What is wrong, told to the model so that it can try again; in the shape that the memory tools have for it. */
export function refusal(message: string, more: object = {}): Outcome {
  return { data: { error: message, ...more }, text: message, isError: true }
}
