/** What the holder of a key may do. `admin` includes the other two. */
export const SCOPES = ['read', 'write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** A key as it is stored. Only a hash of its secret is kept. */
export interface ApiKey {
  /** A part of what the holder sends. It is no secret. */
  readonly id: string
  /** For people. No two keys of a namespace have the same name. */
  readonly name: string
  /** The only namespace that the key opens. */
  readonly namespace: string
  readonly scopes: readonly Scope[]
  /** The SHA-256 of the secret, in hexadecimal. */
  readonly hash: string
  readonly createdAt: Date
}
