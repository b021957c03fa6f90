import {
  count,
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
} from '../../packages/palimpsest/src/index.ts'
import type { FoldPolicy } from '../../packages/palimpsest/src/store/postgres/boss.ts'
import type { Summarizer } from '../../packages/palimpsest/src/summarizer/index.ts'
import { FoldWorker, type WorkerOptions } from '../../packages/palimpsest/src/worker/worker.ts'
import { messages, type Scripted, scripted } from '../folding-kit.ts'
import { keptOpen } from '../kept-open.ts'
import { databasePlace, queuePlace, type TestPlace } from './queue-place.ts'

/** Folds the oldest nine of eleven, then again after as many. */
export const POLICY = count({ threshold: 10, keepLast: 2 })

type Options = Partial<PalimpsestOptions>

export interface TestWorker {
  readonly worker: FoldWorker
  readonly errors: string[]
  close(): Promise<void>
}

/** Servers and workers in this process, on one queue of their own; all are closed in the end. */
export class Crowd implements AsyncDisposable {
  readonly place: TestPlace
  readonly #closing: (() => Promise<void>)[] = []

  private constructor(place: TestPlace) {
    this.place = place
  }

  static async gather(policy?: Partial<FoldPolicy>): Promise<Crowd> {
    return new Crowd(await queuePlace(policy))
  }

  /** In a database of their own, to which programs can be sent. */
  static async gatherApart(policy?: Partial<FoldPolicy>): Promise<Crowd> {
    return new Crowd(await databasePlace(policy))
  }

  /** Something that has to be closed with the rest, before what came earlier. */
  onClose(close: () => Promise<unknown>): void {
    this.#closing.push(async () => {
      await close()
    })
  }

  /** Leaves folding to workers. */
  async server(options: Options = {}): Promise<Palimpsest> {
    const store = await this.place.open()
    const server = await createPalimpsest({ policy: POLICY, ...options, store, folding: 'queue' })
    this.#closing.push(() => server.close())
    return server
  }

  async worker(
    options: Options & { readonly summarizer?: Summarizer } = {},
    work: Partial<WorkerOptions> = {},
  ): Promise<TestWorker> {
    const store = await this.place.open()
    const instances = new Map<string, Promise<Palimpsest>>()
    const open = (namespace: string) =>
      createPalimpsest({ policy: POLICY, ...options, namespace, store: keptOpen(store), folding: 'worker' })
    const errors: string[] = []
    const worker = await FoldWorker.start({
      place: this.place,
      store,
      instanceOf: namespace => {
        const opened = instances.get(namespace) ?? open(namespace)
        instances.set(namespace, opened)
        return opened
      },
      onError: error => errors.push(String(error)),
      ...work,
    })
    let closing: Promise<void> | null = null
    const close = () => {
      closing ??= (async () => {
        await worker.close()
        for (const instance of instances.values()) await (await instance).close()
        await store.close()
      })()
      return closing
    }
    this.#closing.push(close)
    return { worker, errors, close }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing.toReversed()) await close()
    await this.place[Symbol.asyncDispose]()
  }
}

/** So many messages, from the given number on. */
export async function say(server: Palimpsest, id: string, from: number, to: number): Promise<void> {
  await server.session(id).append(messages(from, to))
}

/** A summariser that answers when it is told to. */
export class HeldSummarizer {
  readonly #scripted: Scripted
  #gate = Promise.withResolvers<void>()

  constructor() {
    this.#scripted = scripted({ summarize: () => this.#gate.promise.then(() => ({})) })
  }

  get summarizer(): Summarizer {
    return this.#scripted.summarizer
  }

  get calls(): number {
    return this.#scripted.summaries.length
  }

  /** Those that are held, and all that come later. */
  release(): void {
    this.#gate.resolve()
  }
}
