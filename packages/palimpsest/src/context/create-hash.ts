import type { Hash } from 'node:crypto'

/** An import of `node:crypto` would add 6 ms to every start. */
export function createHash(algorithm: 'sha1' | 'sha256'): Hash {
  return process.getBuiltinModule('node:crypto').createHash(algorithm)
}

/** For names that only have to be distinct. */
export function shortHash(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 10)
}
