import { keyName, type SessionKey } from './store/index.ts'

/**
 * Appends reach the store in the order in which they were asked for, although a long one is prepared in slices: what
 * comes for the same session meanwhile waits for it. Everything else goes to the store at once.
 */
export class AppendsInOrder {
  /** Of each session the last one that is being prepared. */
  readonly #last = new Map<string, Promise<void>>()

  async run<Request, Result>(
    key: SessionKey,
    prepare: { readonly isLong: boolean; readonly request: () => Request | Promise<Request> },
    send: (request: Request) => Promise<Result>,
  ): Promise<Result> {
    const name = keyName(key)
    const before = this.#last.get(name)
    if (before === undefined && !prepare.isLong) return send(prepare.request() as Request)
    const { promise: sent, resolve } = Promise.withResolvers<void>()
    this.#last.set(name, sent)
    try {
      // Refused at once where it cannot be taken, whatever it waits for.
      const request = await prepare.request()
      await before
      return send(request)
    } finally {
      resolve()
      if (this.#last.get(name) === sent) this.#last.delete(name)
    }
  }
}
