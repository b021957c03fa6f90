import type { Hash } from 'node:crypto'

/** An import of `node:crypto` would cost every start 6 ms. */
export function createHash(algorithm: 'sha1' | 'sha256'): Hash {
  return process.getBuiltinModule('node:crypto').createHash(algorithm)
}

/** For names that only have to differ. */
export function shortHash(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 10)
}
