/**
 * Keeps the order of writes. Work on a long text takes several turns of the event loop, and a later call must
 * not overtake it: in each session, writes reach the store in the order of their calls. A write that needs no
 * slices reaches the store at once, unless it has to wait for one that needs them.
 */
export class InTurn {
  /** By session, until its last write that takes slices, or waits for such a write, is done. */
  readonly #last = new Map<string, Promise<void>>()

  /** `prepare` returns the input of `write`, at once or later. */
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
    // The failure is awaited below, after the write before it. This keeps it from counting as unhandled.
    if (prepared instanceof Promise) prepared.catch(() => {})
    try {
      await before
      return await write(await prepared)
    } finally {
      resolve()
      if (this.#last.get(session) === done) this.#last.delete(session)
    }
  }

  /** Runs after all writes that take slices, or wait for such a write. If there is none, it runs at once. */
  after<Result>(write: () => Promise<Result>, session?: string): Promise<Result> {
    const before = session === undefined ? [...this.#last.values()] : [this.#last.get(session) ?? []].flat()
    return before.length === 0 ? write() : Promise.all(before).then(write)
  }
}
