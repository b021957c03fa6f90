/**
 * Work on a long text takes several turns of the event loop, and what is called after it must not overtake it: in
 * each session, writes reach the store in the order in which they were called. A write that needs no slices reaches
 * it at once, unless it has to wait until one that does is done.
 */
export class InTurn {
  /** By session, until the last of those that took slices, or waited for one, is done. */
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
    const { promise: done, resolve } = Promise.withResolvers<void>()
    this.#last.set(session, done)
    // Its failure is awaited below, after the one before it.
    if (prepared instanceof Promise) prepared.catch(() => {})
    try {
      await before
      return await write(await prepared)
    } finally {
      resolve()
      if (this.#last.get(session) === done) this.#last.delete(session)
    }
  }

  /** After everything that takes slices, or waits for it, is done; at once where there is none. */
  after<Result>(write: () => Promise<Result>, session?: string): Promise<Result> {
    const before = session === undefined ? [...this.#last.values()] : [this.#last.get(session) ?? []].flat()
    return before.length === 0 ? write() : Promise.all(before).then(write)
  }
}
