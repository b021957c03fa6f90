/**
 * Work on a long text takes several turns of the event loop, and what is called after it must not overtake it: in
 * each session, writes reach the store in the order in which they were called. A write that needs no slices reaches
 * it at once, unless it has to wait for one that does.
 */
export class InTurn {
  /** By session, until the last of those that were called has reached the store. */
  readonly #last = new Map<string, Promise<void>>()

  /** `prepare` gives what `write` takes, at once or later. */
  async run<Prepared, Result>(
    session: string,
    prepare: () => Prepared | Promise<Prepared>,
    write: (prepared: Prepared) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#last.get(session)
    const prepared = prepare()
    if (before === undefined && !(prepared instanceof Promise)) return write(prepared)
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    this.#last.set(session, reached)
    // Its failure is awaited below, after the one before it.
    if (prepared instanceof Promise) prepared.catch(() => {})
    try {
      await before
      return write(await prepared)
    } finally {
      resolve()
      if (this.#last.get(session) === reached) this.#last.delete(session)
    }
  }

  /** After everything that was called before has reached the store; at once where nothing has to wait. */
  after<Result>(write: () => Promise<Result>, session?: string): Promise<Result> {
    const before = session === undefined ? [...this.#last.values()] : [this.#last.get(session) ?? []].flat()
    return before.length === 0 ? write() : Promise.all(before).then(write)
  }
}
