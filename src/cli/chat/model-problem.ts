import { PalimpsestError } from '../../errors.ts'
import { inertLine } from '../inert-text.ts'

/** What went wrong with a reply, in one line that says what to do. */
export function modelProblem(error: unknown): string {
  const { statusCode, message, cause } = partsOf(error)
  if (PalimpsestError.isInstance(error)) return oneLine(error.message)
  if (statusCode === 401 || statusCode === 403)
    return `The model refused the key (${statusCode}): set PALIMPSEST_MODEL_API_KEY.`
  if (statusCode === 404)
    return `There is no such model at that address (404): check PALIMPSEST_MODEL and PALIMPSEST_MODEL_BASE_URL.`
  if (statusCode === 429)
    return 'The model has had too many requests (429): wait a little, then say it again.'
  if (statusCode !== undefined && statusCode >= 500)
    return `The model is out of order (${statusCode}): say it again later.`
  if (statusCode !== undefined) return `The model refused the request (${statusCode}): ${oneLine(message)}`
  if (cause?.code !== undefined)
    return `The model cannot be reached (${cause.code}): check PALIMPSEST_MODEL_BASE_URL, and that it runs.`
  return `There was no reply: ${oneLine(message)}`
}

interface ErrorParts {
  readonly statusCode?: number
  readonly message: string
  readonly cause?: { readonly code?: string }
}

function partsOf(error: unknown): ErrorParts {
  if (typeof error !== 'object' || error === null) return { message: String(error) }
  const { statusCode, message, cause } = error as Partial<ErrorParts>
  return {
    message: message || String(error),
    ...(typeof statusCode === 'number' && { statusCode }),
    ...(cause && { cause: codeIn(cause) }),
  }
}

/** What the network says lies some errors deep. */
function codeIn(error: unknown): { readonly code?: string } {
  for (let inner = error, depth = 0; depth < 5 && typeof inner === 'object' && inner !== null; depth++) {
    const { code, cause } = inner as { readonly code?: unknown; readonly cause?: unknown }
    if (typeof code === 'string') return { code }
    inner = cause
  }
  return {}
}

const MOST_CHARACTERS = 200

function oneLine(text: string): string {
  const line = inertLine(text.replace(/\s+/g, ' ').trim())
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…`.toWellFormed() : line
}
