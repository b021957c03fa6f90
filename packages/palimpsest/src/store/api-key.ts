/** What somebody with a key may do. `admin` includes the other two. */
export const SCOPES = ['read', 'write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** A key as it is kept: of its secret only a hash. */
export interface ApiKey {
  /** Part of what its holder sends, and no secret. */
  readonly id: string
  /** For people; no two keys of a namespace have the same. */
  readonly name: string
  /** The only one that it opens. */
  readonly namespace: string
  readonly scopes: readonly Scope[]
  /** Of the secret, SHA-256 in hexadecimal. */
  readonly hash: string
  readonly createdAt: Date
}
