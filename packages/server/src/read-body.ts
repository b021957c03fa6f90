import { PalimpsestError } from 'palimpsest/internals/errors'
import { MAX_AT_ONCE, runInSlices } from 'palimpsest/internals/slices'
import type { Held } from './held-bytes.ts'
import { JsonError, parseJsonInSteps } from './parse-json.ts'
import { invalidArguments } from './problems.ts'

/** Deeper than any message. The limit protects the call stack. */
const MAX_DEPTH = 256
/** More than all settings, under all of their names. */
const MAX_FIELDS = 500
/** Enough for ten thousand messages with their tool calls. A larger body is data that belongs into a file. */
const MAX_VALUES = 200_000

/**
 * Bodies up to this many bytes are read in one piece, which is faster. Their
 * announced length is held from the start.
 */
const MAX_IN_ONE_PIECE = 64 * 1024

export interface BodyLimits {
  /** The most bytes that are read of one body. */
  readonly mostBytes: number
  /** Counts this body among those of all requests, from its first byte on. */
  readonly held: Held
}

/** The JSON object of a request. `null`: there is no body. */
export async function readBody(
  request: Request,
  limits: BodyLimits,
): Promise<Readonly<Record<string, unknown>> | null> {
  const text = await readText(request, limits)
  if (text === '') return null
  const value = await parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidArguments([
      { field: 'the body', value: Array.isArray(value) ? '[…]' : value, allowed: 'a JSON object' },
    ])
  if (Object.keys(value).length > MAX_FIELDS)
    throw invalidArguments([{ field: 'the body', value: '…', allowed: `at most ${MAX_FIELDS} fields` }])
  return value as Readonly<Record<string, unknown>>
}

/** The body as text, of any content. */
export async function readText(request: Request, limits: BodyLimits): Promise<string> {
  const { mostBytes, held } = limits
  const announced = request.headers.get('content-length')
  const length = Number(announced ?? 0)
  if (length > mostBytes) throw tooLarge(mostBytes)
  // No more bytes than announced can come. A large body is counted as its bytes arrive: its announcement
  // tells only how many may come.
  const isWhole = announced !== null && length <= MAX_IN_ONE_PIECE
  if (isWhole) held.take(length)
  const reading = isWhole
    ? request.arrayBuffer().then(whole => new Uint8Array(whole))
    : readBytes(request, limits)
  const bytes = await reading.catch(error => {
    throw PalimpsestError.isInstance(error) ? error : malformed('The body broke off.')
  })
  if (bytes.length > mostBytes) throw tooLarge(mostBytes)
  if (bytes.length > 0) checkHeaders(request.headers)
  return decode(bytes)
}

/** Parses any JSON within the limits of depth and values. `undefined`: the text is not JSON. */
export async function tryJson(text: string): Promise<unknown> {
  try {
    return await parseLimited(text)
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof JsonError && error.limit === null)) return undefined
    throw error instanceof JsonError ? limitExceeded(error) : error
  }
}

/** Parses a short text at once and a long text in slices. The values of a text cost more than its bytes. */
async function parseLimited(text: string): Promise<unknown> {
  if (text.length > MAX_AT_ONCE)
    return runInSlices(parseJsonInSteps(text, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES }))
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null && isDeeperThan(value, MAX_DEPTH))
    throw new JsonError(`it is nested deeper than ${MAX_DEPTH} levels`, 'depth')
  return value
}

function limitExceeded({ limit }: JsonError): PalimpsestError {
  const allowed =
    limit === 'depth'
      ? `at most ${MAX_DEPTH} levels of nesting`
      : `at most ${MAX_VALUES} values: texts, numbers, lists and objects`
  return invalidArguments([{ field: 'the body', value: '…', allowed }])
}

async function readBytes(request: Request, { mostBytes, held }: BodyLimits): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw tooLarge(mostBytes)
    held.take(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(mostBytes: number): PalimpsestError {
  return new PalimpsestError(
    'body_too_large',
    `The body of a request may have at most ${mostBytes} bytes (the setting maxBodyBytes). Nothing was done.`,
    { maxBodyBytes: mostBytes },
  )
}

/**
 * Refuses a body that is not declared as JSON. A browser sends JSON to another site only after it has asked
 * that site, so a page of another site cannot send a body unnoticed.
 */
function checkHeaders(headers: Headers): void {
  const type = headers.get('content-type') ?? ''
  const encoding = headers.get('content-encoding') ?? 'identity'
  const isJson = /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
  if (isJson && /^utf-?8$/i.test(charset) && encoding.toLowerCase() === 'identity') return
  throw new PalimpsestError(
    'unsupported_media_type',
    `A body has to be JSON in UTF-8, not compressed: content-type: application/json. It came as ${JSON.stringify(type)}` +
      `${encoding === 'identity' ? '' : ` with the content-encoding ${JSON.stringify(encoding)}`}.`,
    { contentType: type, allowed: 'application/json' },
  )
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformed('The body is not UTF-8.')
  }
}

async function parse(text: string): Promise<unknown> {
  try {
    return await parseLimited(text)
  } catch (error) {
    if (error instanceof JsonError && error.limit !== null) throw limitExceeded(error)
    throw malformed(`The body is not JSON: ${(error as Error).message}`)
  }
}

export function malformed(message: string): PalimpsestError {
  return new PalimpsestError('malformed_request', `${message} Nothing was done.`, {})
}

/** Uses no recursion, because recursion is what it guards against. */
function isDeeperThan(value: object, most: number): boolean {
  let level: readonly object[] = [value]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > most) return true
    level = level.flatMap(parent =>
      Object.values(parent).filter((child): child is object => typeof child === 'object' && child !== null),
    )
  }
  return false
}
