import { PalimpsestError } from '../errors.ts'
import { redactSecrets, redactSecretsInSteps } from './secrets.ts'
import { MAX_AT_ONCE, type Steps } from './steps.ts'

/** The kind of record that a text is a part of. */
export type RedactedPlace =
  | 'message'
  | 'sender'
  | 'segment'
  | 'memo'
  | 'document'
  | 'pin'
  | 'outcome'
  | 'decision'

export interface RedactionContext {
  readonly place: RedactedPlace
  /** For a value inside JSON, the name of its field: `{ "password": "…" }`. */
  readonly field?: string
}

/**
 * Sees every text before it is stored, and returns the text that is stored in its place. It is called inside
 * transactions, so it has to be quick and must not wait. The same text must always give the same answer, and
 * the answer itself must not change again: otherwise a message that is delivered twice is not recognized. It
 * should work line by line if it can: the lines of documents are stored a second time beside the documents.
 */
export type Redact = (text: string, at: RedactionContext) => string

/**
 * The hook failed, so nothing was stored. The hook's own error may quote the text, so nothing of it is told.
 */
export class RedactionError extends PalimpsestError<{ hook: string; place: string; reason: string }> {
  override readonly name = 'RedactionError'
  constructor(details: { hook: string; place: string; reason: string }) {
    const { hook, place, reason } = details
    super(
      'redaction_failed',
      `The redaction hook ${hook} ${reason} for a text of the place "${place}". Nothing was stored.`,
      details,
    )
  }
}

/** The hook for texts of one place. The caller's own hook gets each text in one go. */
export interface RedactText {
  (text: string, field?: string): string
  readonly inSteps: (text: string, field?: string) => Steps<string>
}

export function redactorFor(redact: Redact, place: RedactedPlace): RedactText {
  const atOnce = (text: string, field?: string) => {
    if (text === '') return text
    const answer = ask(redact, text, field === undefined ? { place } : { place, field })
    if (typeof answer === 'string') return answer
    // An unhandled rejection would be reported, with the text that it quotes.
    if (answer instanceof Promise) answer.catch(() => {})
    throw failure(redact, place, answer instanceof Promise ? 'gave a promise' : `gave ${typeOf(answer)}`)
  }
  function* inSteps(text: string, field?: string): Steps<string> {
    if (redact !== redactSecrets || text.length <= MAX_AT_ONCE) return atOnce(text, field)
    return yield* redactSecretsInSteps(text, field === undefined ? {} : { field })
  }
  return Object.assign(atOnce, { inSteps })
}

function ask(redact: Redact, text: string, at: RedactionContext): unknown {
  try {
    return redact(text, at)
  } catch {
    throw failure(redact, at.place, 'threw an error')
  }
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : `a value of the type ${typeof value}`
}

function failure(redact: Redact, place: string, reason: string): RedactionError {
  return new RedactionError({ hook: redact.name || '(without a name)', place, reason })
}
