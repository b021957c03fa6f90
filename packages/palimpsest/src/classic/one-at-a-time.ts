/** Runs what it is given one after the other, whatever became of the one before. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#last.then(work)
    this.#last = next.catch(() => {})
    return next
  }
}
