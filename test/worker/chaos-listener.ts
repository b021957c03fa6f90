import { setTimeout as pause } from 'node:timers/promises'

interface Told {
  readonly type: string
  readonly sessionId: string
  readonly fromSeq: number | null
  readonly toSeq: number | null
}

/** Listens to the events of whichever server is there, and goes on at the next one where the last one ended. */
export class Listener {
  readonly #serverOf: () => string | undefined
  readonly #stopping = new AbortController()
  readonly #folds = new Map<string, number>()
  #position: string | null = null
  #listening: Promise<void> | null = null
  reconnects = -1

  constructor(serverOf: () => string | undefined) {
    this.#serverOf = serverOf
  }

  /** From the first event on. */
  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#listening = this.#listen(resolve)
    await promise
  }

  /** What was told too often or not at all. */
  async end(folds: number): Promise<readonly string[]> {
    const late = performance.now() + 20_000
    while (this.#folds.size < folds && performance.now() < late) await pause(100)
    this.close()
    await this.#listening
    const again = [...this.#folds].filter(([, times]) => times > 1).map(([fold]) => `${fold} was told again`)
    return this.#folds.size === folds
      ? again
      : [...again, `${this.#folds.size} folds were told of, of ${folds}`]
  }

  close(): void {
    this.#stopping.abort()
  }

  async #listen(onOpen: () => void): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#once(onOpen).catch(() => {})
      await pause(50)
    }
  }

  async #once(onOpen: () => void): Promise<void> {
    const url = this.#serverOf()
    if (url === undefined) return
    const headers: Record<string, string> = this.#position ? { 'last-event-id': this.#position } : {}
    const { body, ok } = await fetch(`${url}/v1/events`, { headers, signal: this.#stopping.signal })
    if (!ok || body === null) return
    this.reconnects += 1
    let text = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split('\n\n')
      text = events.pop()!
      for (const event of events) this.#take(event)
      onOpen()
    }
  }

  #take(event: string): void {
    const field = (name: string) =>
      event
        .split('\n')
        .find(line => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    this.#position = field('id') ?? this.#position
    if (field('event') !== 'fold-committed') return
    const { sessionId, fromSeq, toSeq } = JSON.parse(field('data')!) as Told
    const fold = `${sessionId} ${fromSeq}–${toSeq}`
    this.#folds.set(fold, (this.#folds.get(fold) ?? 0) + 1)
  }
}
