import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ApiKey } from 'palimpsest/internals/store/index'

const SECRET_BYTES = 32

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/**
 * A fast hash, on purpose: a secret is 32 random bytes, which nobody finds by trying, however fast. A slow one is for
 * passwords, and would be paid with every call.
 */
export function hashSecret(secret: string): string {
  return digest(secret).toString('hex')
}

/** What a secret is compared with where there is no key: no secret has this hash that anybody knows. */
const NO_HASH = randomBytes(SECRET_BYTES).toString('hex')

/** Takes as long for a key that is not there as for a wrong secret. */
export function isSecretOf(key: Pick<ApiKey, 'hash'> | null, secret: string): boolean {
  const given = digest(secret)
  const kept = Buffer.from(key?.hash ?? NO_HASH, 'hex')
  return given.length === kept.length && timingSafeEqual(given, kept) && key !== null
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
