import type { Context, ContextOptions } from '../../contexts.ts'
import type { Session } from '../../session.ts'
import { type Asked, askedIn, type Shown, shortenedBudget, showAsked } from '../../turn/index.ts'

/** What the calls of one run have in common: a loop of tool calls may outgrow the window. */
export class Run {
  /** As it was when the run began: what comes of it is stored in that very session, or not at all. */
  readonly session: Session
  /** The message that it answers, in the log; `null`: nobody knows. */
  question: number | null = null
  #asked: Asked | null | undefined
  #budget: number | undefined

  constructor(session: Session) {
    this.session = session
  }

  /** Who asks decides which tools there are. */
  get asking(): { readonly answers?: readonly number[] } {
    return this.question === null ? {} : { answers: [this.question] }
  }

  async show(options: ContextOptions): Promise<Shown> {
    const contextFor = (budget = this.#budget) =>
      this.session.context({ ...options, ...(budget !== undefined && { budget }) })
    const shown = await showAsked(this.#asked ?? null, contextFor)
    if (this.#asked === undefined) this.#asked = askedIn(shown.context)
    return shown
  }

  /** Until the run ends. */
  shorten({ report }: Context): void {
    this.#budget = shortenedBudget(report.tokens)
  }
}
