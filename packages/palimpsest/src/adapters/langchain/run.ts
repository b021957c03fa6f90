import type { Context, ContextOptions } from '../../contexts.ts'
import type { Session } from '../../session.ts'
import { type Asked, askedIn, type Shown, shortenedBudget, showAsked } from '../../turn/index.ts'

/** What the calls of one run share. A loop of tool calls may become larger than the window. */
export class Run {
  /**
   * The session as it was when the run began. The results of the run are stored in this very session, or not
   * at all.
   */
  readonly session: Session
  /** The message of the log that the run answers; `null`: unknown. */
  question: number | null = null
  #asked: Asked | null | undefined
  #budget: number | undefined

  constructor(session: Session) {
    this.session = session
  }

  /** The sender of the question decides which tools there are. */
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

  /** Holds until the run ends. */
  shorten({ report }: Context): void {
    this.#budget = shortenedBudget(report.tokens)
  }
}
