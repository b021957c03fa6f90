import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ApiKey } from 'palimpsest/internals/store/index'

const SECRET_BYTES = 32

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/**
 * A fast hash, on purpose. A secret is 32 random bytes, which cannot be found by trying, however fast. A slow
 * hash is for passwords, and every call would pay for it.
 */
export function hashSecret(secret: string): string {
  return digest(secret).toString('hex')
}

/** The hash to compare with if there is no such key. No known secret has this hash. */
const NO_HASH = randomBytes(SECRET_BYTES).toString('hex')

/** Takes the same time for a key that does not exist as for a wrong secret. */
export function isSecretOf(key: Pick<ApiKey, 'hash'> | null, secret: string): boolean {
  const given = digest(secret)
  const kept = Buffer.from(key?.hash ?? NO_HASH, 'hex')
  return given.length === kept.length && timingSafeEqual(given, kept) && key !== null
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
