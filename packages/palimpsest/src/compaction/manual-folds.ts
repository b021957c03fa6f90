import { ClosedError } from '../errors.ts'

/** Folds that a caller waits for. `close` aborts them and waits until they have released their leases. */
export class ManualFolds {
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()

  async run<Result>(fold: (closing: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#closing.signal.aborted) throw new ClosedError('instance')
    const running = fold(this.#closing.signal)
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new ClosedError('instance'))
    await Promise.allSettled(this.#underWay)
  }
}
