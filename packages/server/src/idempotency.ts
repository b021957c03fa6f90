import { createHash } from 'node:crypto'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { canonicalJson, type Store } from 'palimpsest/internals/store/index'
import type { Answer } from './endpoint.ts'
import { invalidArguments } from './problems.ts'

/**
 * How a repeated request is answered: from what was kept of the first answer.
 * Nothing that a person said is kept.
 */
export interface Repeat<Given> {
  readonly keep: (answer: Answer) => unknown
  readonly answer: (call: Given, kept: never) => Promise<Answer>
  /**
   * How long the request may run, in milliseconds; the default is ten minutes. If the process died, the
   * caller can send the request again after that time.
   */
  readonly longestMs?: (call: Given) => number
}

const DEFAULT_LONGEST_MS = 10 * 60_000
const KEPT_MS = 24 * 3_600_000

const KEY = /^[\x21-\x7e]{1,255}$/
const KEY_RULE = '1 to 255 printable characters without a space, such as a UUID'

/** The header `Idempotency-Key`, checked. `null`: there is none. */
export function readIdempotencyKey(header: string | null): string | null {
  if (header === null || KEY.test(header)) return header
  throw invalidArguments([{ field: 'Idempotency-Key', value: header, allowed: KEY_RULE }])
}

interface Asked {
  readonly namespace: string
  readonly key: string
  readonly method: string
  readonly path: string
  /** Everything that distinguishes this request from another. */
  readonly request: unknown
}

interface Doing {
  readonly store: Pick<Store, 'requests'>
  readonly longestMs?: number | undefined
  readonly onError: (error: unknown) => void
  readonly carryOut: () => Promise<Answer>
  readonly keep: (answer: Answer) => unknown
  readonly answerAgain: (kept: unknown) => Promise<Answer>
}

/**
 * Carries a request out once, however often it is sent. A request that was
 * refused or that failed may be sent again.
 */
export async function once(asked: Asked, doing: Doing): Promise<Answer> {
  const { namespace, key, method, path, request } = asked
  const { store, longestMs = DEFAULT_LONGEST_MS, onError, carryOut, keep, answerAgain } = doing
  const name = hash([method, path, key])
  // The key is part of the hash, so that a reader of the database cannot
  // guess what was said and check the guess.
  const fingerprint = hash([key, request])
  const now = Date.now()
  const begunUntil = now + longestMs
  const found = await store.requests.beginRequest(namespace, { name, fingerprint, now, until: begunUntil })
  if (found.state !== 'begun') {
    if (found.fingerprint !== fingerprint) throw reusedKey(key)
    if (found.state === 'running') throw underWay(key)
    const answer = await answerAgain(found.answer)
    return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } }
  }
  const answer = await carryOut().catch(async error => {
    await store.requests.dropRequest(namespace, { name, begunUntil }).catch(onError)
    throw error
  })
  // The work is done. If this note fails, the work must not look undone.
  await store.requests
    .finishRequest(namespace, { name, begunUntil, answer: keep(answer), until: Date.now() + KEPT_MS })
    .catch(onError)
  return answer
}

function hash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

export function reusedKey(key: string): PalimpsestError {
  return new PalimpsestError(
    'request_conflict',
    `The Idempotency-Key ${JSON.stringify(key)} was sent with another request before. Nothing was done; give each request a key of its own.`,
    { key },
  )
}

function underWay(key: string): PalimpsestError {
  return new PalimpsestError(
    'request_running',
    `The request with the Idempotency-Key ${JSON.stringify(key)} is still under way. Send it again in a moment for its answer.`,
    { key },
  )
}
