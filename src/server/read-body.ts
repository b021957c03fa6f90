import { PalimpsestError } from '../errors.ts'
import { invalidArguments } from './problems.ts'

/** Deeper than any message; a stack has an end. */
const MOST_DEPTH = 256

/** The JSON object of a request; `null` where there is no body. Nothing is read beyond `mostBytes`. */
export async function readBody(
  request: Request,
  mostBytes: number,
): Promise<Readonly<Record<string, unknown>> | null> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > mostBytes) throw tooLarge(mostBytes)
  const bytes = await readBytes(request, mostBytes)
  if (bytes.length === 0) return null
  checkHeaders(request.headers)
  const value = parse(decode(bytes))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidArguments([{ field: 'the body', value, allowed: 'a JSON object' }])
  if (isDeeperThan(value, MOST_DEPTH))
    throw invalidArguments([
      { field: 'the body', value: '…', allowed: `at most ${MOST_DEPTH} levels of nesting` },
    ])
  return value as Readonly<Record<string, unknown>>
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

function decode(bytes: Buffer): string {
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
