export interface Received {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly data: any
}

/** Reads a stream of server-sent events as far as a test asks, and no further. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #rest = ''
  /** What a client would resume from. */
  lastId = ''
  heartbeats = 0

  constructor(body: ReadableStream<Uint8Array> | null) {
    if (body === null) throw new Error('There is no body')
    this.#reader = body.getReader()
  }

  /** `null`: the stream has ended. */
  async block(): Promise<string | null> {
    for (let end = this.#rest.indexOf('\n\n'); ; end = this.#rest.indexOf('\n\n')) {
      if (end >= 0) {
        const block = this.#rest.slice(0, end)
        this.#rest = this.#rest.slice(end + 2)
        this.lastId = /^id: (.*)$/m.exec(block)?.[1] ?? this.lastId
        if (block.startsWith(':')) this.heartbeats += 1
        return block
      }
      const { done, value } = await this.#reader.read()
      if (done) return null
      this.#rest += this.#decoder.decode(value, { stream: true })
    }
  }

  /** The next events, without what is none; fewer where the stream ends. */
  async take(count: number): Promise<Received[]> {
    const events: Received[] = []
    while (events.length < count) {
      const block = await this.block()
      if (block === null) break
      const fields = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(block)
      if (fields) events.push({ id: fields[1]!, event: fields[2]!, data: JSON.parse(fields[3]!) })
    }
    return events
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }
}
