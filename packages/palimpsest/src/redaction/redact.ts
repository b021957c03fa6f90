import { PalimpsestError } from '../errors.ts'
import { redactSecrets, redactSecretsInSteps } from './secrets.ts'
import { MAX_AT_ONCE, type Steps } from './steps.ts'

/** What a text is a part of. */
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
  /** Of a value inside of JSON, the name of its field: `{ "password": "…" }`. */
  readonly field?: string
}

/**
 * Sees every text before it is stored, and answers with what is stored in its place. Called inside of transactions,
 * so it has to be quick and may wait for nothing; the same text has to give the same answer every time, and its own
 * answer no other, or a message that is delivered twice is not known again. Line by line, if it can: the lines of
 * documents are stored once more beside them.
 */
export type Redact = (text: string, at: RedactionContext) => string

/** The hook failed, so nothing was stored. What the hook threw may quote the text: none of it is told. */
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

/** The hook, for texts of one place. A hook of the caller's own takes each text in one go. */
export interface RedactText {
  (text: string, field?: string): string
  readonly inSteps: (text: string, field?: string) => Steps<string>
}

export function redactorFor(redact: Redact, place: RedactedPlace): RedactText {
  const atOnce = (text: string, field?: string) => {
    if (text === '') return text
    const answer = ask(redact, text, field === undefined ? { place } : { place, field })
    if (typeof answer === 'string') return answer
    // It would be reported as nobody's, with what it quotes.
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
