import { PalimpsestError } from '../errors.ts'
import { invalidArguments } from './problems.ts'

/** Deeper than any message; a stack has an end. */
const MOST_DEPTH = 256
/** More than there are settings, under all of their names. */
const MOST_FIELDS = 500

/** The JSON object of a request; `null` where there is no body. Nothing is read beyond `mostBytes`. */
export async function readBody(
  request: Request,
  mostBytes: number,
): Promise<Readonly<Record<string, unknown>> | null> {
  const text = await readText(request, mostBytes)
  if (text === '') return null
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidArguments([
      { field: 'the body', value: Array.isArray(value) ? '[…]' : value, allowed: 'a JSON object' },
    ])
  checkDepth(value)
  if (Object.keys(value).length > MOST_FIELDS)
    throw invalidArguments([{ field: 'the body', value: '…', allowed: `at most ${MOST_FIELDS} fields` }])
  return value as Readonly<Record<string, unknown>>
}

/** The body as text, whatever it says. */
export async function readText(request: Request, mostBytes: number): Promise<string> {
  const announced = request.headers.get('content-length')
  if (Number(announced ?? 0) > mostBytes) throw tooLarge(mostBytes)
  // In one piece, which is quicker, where no more than was announced can come.
  const reading =
    announced === null
      ? readBytes(request, mostBytes)
      : request.arrayBuffer().then(whole => new Uint8Array(whole))
  const bytes = await reading.catch(error => {
    throw PalimpsestError.isInstance(error) ? error : malformed('The body broke off.')
  })
  if (bytes.length > mostBytes) throw tooLarge(mostBytes)
  if (bytes.length > 0) checkHeaders(request.headers)
  return decode(bytes)
}

/** Any JSON that is not too deep; `undefined`: it is none. */
export function tryJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value === 'object' && value !== null) checkDepth(value)
  return value
}

function checkDepth(value: object): void {
  if (!isDeeperThan(value, MOST_DEPTH)) return
  throw invalidArguments([
    { field: 'the body', value: '…', allowed: `at most ${MOST_DEPTH} levels of nesting` },
  ])
}

async function readBytes(request: Request, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw tooLarge(mostBytes)
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

/** A browser sends JSON to another site only after asking, so a page elsewhere cannot do it unseen. */
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`The body is not JSON: ${(error as Error).message}`)
  }
}

export function malformed(message: string): PalimpsestError {
  return new PalimpsestError('malformed_request', `${message} Nothing was done.`, {})
}

/** Without recursion, which is what it guards. */
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
