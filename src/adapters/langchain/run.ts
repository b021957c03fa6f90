import type { Context, ContextOptions } from '../../contexts.ts'
import type { Session } from '../../session.ts'
import { type Asked, askedIn, type Shown, shortenedBudget, showAsked } from '../../turn/index.ts'

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

  /** Until the run ends. */
  shorten({ report }: Context): void {
    this.#budget = shortenedBudget(report.tokens)
  }
}
