import type { Hash } from 'node:crypto'

/** An import of `node:crypto` would cost every start 6 ms. */
export function createHash(algorithm: 'sha1' | 'sha256'): Hash {
  return process.getBuiltinModule('node:crypto').createHash(algorithm)
}
