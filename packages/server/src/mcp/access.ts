import { optionsOf } from 'palimpsest/internals/known-options'
import type { Palimpsest, SessionOptions } from 'palimpsest/internals/palimpsest'
import type { Scope } from 'palimpsest/internals/store/index'

/** What an MCP client may reach. The namespace is that of the instance: nothing leads out of it. */
export interface McpAccess {
  readonly palimpsest: Palimpsest
  readonly scopes: ReadonlySet<Scope>
  /** The session that all tools are bound to. Left out: each tool takes a `session` argument. */
  readonly session?: string
  /**
   * The traits of the bound session. A session that has to be made gets them, and no tool reaches a session
   * with other traits. Left out: `append_messages` takes the traits as arguments.
   */
  readonly traits?: SessionOptions
  /** Tokens that a context keeps free for the reply. Left out: none. */
  readonly outputReserve?: number
  readonly version: string
  /** Gets the errors that no code foresaw. The client is told only that something went wrong. */
  readonly onError?: (error: unknown) => void
}

export const ACCESS = optionsOf<McpAccess>({
  palimpsest: true,
  scopes: true,
  session: true,
  traits: true,
  outputReserve: true,
  version: true,
  onError: true,
})
