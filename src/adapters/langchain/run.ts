import type { Context, ContextOptions } from '../../contexts.ts'
import type { Session } from '../../session.ts'
import { type Asked, askedIn, type Shown, showAsked } from '../../turn/index.ts'

/** What a provider found too long is sent again with this share of it, until the run ends. */
const SHORTENED = 0.5

/** What the calls of one run have in common: a loop of tool calls may outgrow the window. */
export class Run {
  #asked: Asked | null | undefined
  #budget: number | undefined

  async show(session: Session, options: ContextOptions): Promise<Shown> {
    const contextFor = (budget = this.#budget) =>
      session.context({ ...options, ...(budget !== undefined && { budget }) })
    const shown = await showAsked(this.#asked ?? null, contextFor)
    if (this.#asked === undefined) this.#asked = askedIn(shown.context)
    return shown
  }

  shorten({ report }: Context): void {
    this.#budget = Math.max(1, Math.floor(report.tokens * SHORTENED))
  }
}
