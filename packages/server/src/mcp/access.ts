import { optionsOf } from 'palimpsest/internals/known-options'
import type { Palimpsest, SessionOptions } from 'palimpsest/internals/palimpsest'
import type { Scope } from 'palimpsest/internals/store/index'

/** What somebody who speaks MCP may reach. The namespace is that of the instance: nothing leads out of it. */
export interface McpAccess {
  readonly palimpsest: Palimpsest
  readonly scopes: ReadonlySet<Scope>
  /** The one that all tools are bound to. Left out: each tool takes a `session` argument. */
  readonly session?: string
  /**
   * What a bound session is: it is made so if it has to be, and no tool reaches one that is something else. Left out:
   * `append_messages` takes them as arguments.
   */
  readonly traits?: SessionOptions
  /** Tokens that a context keeps free for the reply. Left out: none. */
  readonly outputReserve?: number
  readonly version: string
  /** Hears of what nobody foresaw; the client is told only that there was something. */
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
