import { describeError, PalimpsestError } from 'palimpsest/internals/errors'
import { type ProviderFailure, providerFailure } from 'palimpsest/internals/provider-failure'
import { inertLine } from '../inert-text.ts'

/** What went wrong with a reply, in one line that says what to do. */
export function modelProblem(error: unknown): string {
  const { fault, advice } = diagnose(error)
  return sentence(advice === null ? fault : `${fault}: ${advice}`)
}

/** The same without advice, for an attempt that is repeated. */
export function modelFault(error: unknown): string {
  return sentence(diagnose(error).fault)
}

interface Diagnosis {
  readonly fault: string
  readonly advice: string | null
}

function diagnose(error: unknown): Diagnosis {
  const { statusCode, cause, failure } = modelErrorParts(error)
  if (PalimpsestError.isInstance(error)) return { fault: oneLine(error.message), advice: null }
  if (statusCode !== undefined) return diagnoseAnswer(statusCode, failure)
  if (cause?.code !== undefined)
    return {
      fault: `The model cannot be reached (${cause.code})`,
      advice: 'check PALIMPSEST_MODEL_BASE_URL, and that it runs',
    }
  return { fault: `There was no reply: ${oneLine(describeError(error))}`, advice: null }
}

function diagnoseAnswer(statusCode: number, { kind, code }: ProviderFailure): Diagnosis {
  const told = code === null ? `(${statusCode})` : `(${statusCode}, ${code})`
  if (kind === 'no_quota')
    return {
      fault: `The account at the provider has no quota or credit left ${told}`,
      advice: 'waiting does not help, look at its plan and billing',
    }
  if (kind === 'no_such_model')
    return {
      fault: `There is no such model at that address ${told}`,
      advice: 'check PALIMPSEST_MODEL and PALIMPSEST_MODEL_BASE_URL',
    }
  if (statusCode === 401 || statusCode === 403)
    return { fault: `The model refused the key ${told}`, advice: 'set PALIMPSEST_MODEL_API_KEY' }
  if (statusCode === 429)
    return {
      fault: `The model has had too many requests ${told}`,
      advice: 'wait a little, then say it again',
    }
  if (statusCode >= 500) return { fault: `The model is out of order ${told}`, advice: 'say it again later' }
  if (statusCode < 300)
    return {
      fault: `What answers there is no API of a model ${told}`,
      advice: 'check PALIMPSEST_MODEL_BASE_URL',
    }
  return { fault: `The model refused the request ${told}`, advice: null }
}

interface ErrorParts {
  readonly statusCode?: number
  readonly cause?: { readonly code?: string }
  readonly failure: ProviderFailure
}

export function modelErrorParts(error: unknown): ErrorParts {
  const failure = providerFailure(error)
  if (typeof error !== 'object' || error === null) return { failure }
  const { statusCode, cause, lastError } = error as Partial<ErrorParts> & { readonly lastError?: unknown }
  // The library gave up after several tries: the last error tells why.
  if (statusCode === undefined && cause === undefined && lastError !== undefined)
    return modelErrorParts(lastError)
  return {
    failure,
    ...(typeof statusCode === 'number' && { statusCode }),
    ...(cause && { cause: codeIn(cause) }),
  }
}

/** The code of a network error lies some causes deep. */
function codeIn(error: unknown): { readonly code?: string } {
  for (let inner = error, depth = 0; depth < 5 && typeof inner === 'object' && inner !== null; depth++) {
    const { code, cause } = inner as { readonly code?: unknown; readonly cause?: unknown }
    if (typeof code === 'string') return { code }
    inner = cause
  }
  return {}
}

const MAX_CHARACTERS = 200

function oneLine(text: string): string {
  const line = inertLine(text.replace(/\s+/g, ' ').trim())
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…`.toWellFormed() : line
}

/** Ends the text like a sentence, since another sentence may follow. */
function sentence(text: string): string {
  return /[.!?…。！？]["'”’)]*$/u.test(text) ? text : `${text}.`
}
