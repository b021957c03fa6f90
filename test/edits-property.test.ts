import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Context,
  count,
  createPalimpsest,
  type Palimpsest,
  type Session,
  type Store,
} from '../packages/palimpsest/src/index.ts'
import type { SummarizeRequest } from '../packages/palimpsest/src/summarizer/index.ts'
import { Clock, scripted } from './folding-kit.ts'
import { longest, runs } from './runs.ts'
import { PLACES, type StorePlace } from './stores.ts'

/**
 * Any history of appends, folds, edits, rollbacks, erasures, forks and exports, with a summariser that is down at times:
 * an edit is told at once, and once everything has settled, nothing tells of what an edited message said before.
 */

const NO_ABORT = new AbortController().signal
const PADDING = 'and lemons sail to Porto with crates '.repeat(4)

type Command =
  | { readonly do: 'append'; readonly messages: number }
  | { readonly do: 'edit'; readonly at: number; readonly to: 'text' | 'nothing' }
  | { readonly do: 'rollback'; readonly at: number }
  | { readonly do: 'erase'; readonly at: number }
  | { readonly do: 'compact' | 'time' | 'fork' | 'export' | 'down' | 'up' }

const share = fc.double({ min: 0, max: 1, noNaN: true })
const commands = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('append' as const), messages: fc.integer({ min: 1, max: 9 }) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('edit' as const),
        at: share,
        to: fc.constantFrom('text' as const, 'text' as const, 'nothing' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('rollback' as const), at: share }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), at: share }) },
    {
      weight: 7,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'compact' as const,
          'compact' as const,
          'time' as const,
          'fork' as const,
          'export' as const,
          'down' as const,
          'up' as const,
        ),
      }),
    },
  ),
  { minLength: 4, maxLength: 24 },
) as fc.Arbitrary<readonly Command[]>

class World {
  readonly #store: Store
  readonly #palimpsest: Palimpsest
  readonly #clock: Clock
  readonly #model: { isDown: boolean }
  #chat: Session
  #sessions = 1
  /** What each message says: a word that no other message, and no other version of it, has. */
  #said = new Map<number, string>()
  #words = 0
  /** What no context may say any more once everything has settled. */
  readonly #gone = new Set<string>()
  #last: { readonly epoch: number; readonly context: Context } | null = null

  constructor(
    store: Store,
    palimpsest: Palimpsest,
    { clock, model }: { clock: Clock; model: { isDown: boolean } },
  ) {
    this.#store = store
    this.#palimpsest = palimpsest
    this.#clock = clock
    this.#model = model
    this.#chat = palimpsest.session('s1')
  }

  async run(command: Command): Promise<void> {
    this.#clock.now += 1_000
    if (command.do === 'append') await this.#append(command.messages)
    else if (command.do === 'edit') await this.#edit(command.at, command.to)
    else if (command.do === 'rollback') await this.#rollback(command.at)
    else if (command.do === 'erase') await this.#erase(command.at)
    else if (command.do === 'compact') await this.#chat.compact({ force: true })
    else if (command.do === 'time') await this.#pass(310_000)
    else if (command.do === 'down') this.#model.isDown = true
    else if (command.do === 'up') this.#model.isDown = false
    else await this.#copy(command.do)
    await this.#look()
  }

  #word(): string {
    this.#words += 1
    return `w${this.#words}q`
  }

  async #append(messages: number): Promise<void> {
    for (let number = 0; number < messages; number++) {
      const word = this.#word()
      const { seq } = (
        await this.#chat.append({
          role: this.#words % 2 ? 'user' : 'assistant',
          content: `${word} ${PADDING}`,
        })
      ).messages[0]!
      this.#said.set(seq, word)
    }
  }

  #seqAt(at: number): number | undefined {
    return [...this.#said.keys()][Math.floor(at * (this.#said.size - 1))]
  }

  async #edit(at: number, to: 'text' | 'nothing'): Promise<void> {
    const seq = this.#seqAt(at)
    if (seq === undefined) return
    const word = this.#word()
    this.#gone.add(this.#said.get(seq)!)
    await this.#chat.edit(seq, to === 'text' ? `${word} ${PADDING}` : ' ')
    this.#said.set(seq, word)
    if (to === 'nothing') this.#gone.add(word)
    const { compactedThrough } = (await this.#chat.info())!
    if (to === 'text' && seq <= compactedThrough)
      expect(JSON.stringify((await this.#chat.context()).messages), 'it is told at once').toContain(
        `now says: ${word} `,
      )
  }

  async #rollback(at: number): Promise<void> {
    const seq = this.#seqAt(at)
    if (seq === undefined) return
    await this.#chat.rollback(seq)
    for (const [each, word] of this.#said)
      if (each > seq) {
        this.#gone.add(word)
        this.#said.delete(each)
      }
  }

  async #erase(at: number): Promise<void> {
    const seq = this.#seqAt(at)
    if (seq === undefined) return
    const word = this.#said.get(seq)!
    this.#gone.add(word)
    this.#said.delete(seq)
    const { id } = this.#chat
    await this.#palimpsest.forget({ kind: 'messages', sessionId: id, seqs: [seq] })
    expect(JSON.stringify((await this.#chat.context()).messages)).not.toContain(`${word} `)
  }

  async #copy(how: 'fork' | 'export'): Promise<void> {
    const info = await this.#chat.info()
    const last = [...this.#said.keys()].at(-1)
    if (!info || last === undefined) return
    this.#sessions += 1
    const id = `s${this.#sessions}`
    if (how === 'fork') this.#chat = await this.#chat.fork(id, last)
    else {
      const file = await this.#chat.export()
      this.#chat = (await this.#palimpsest.import(file, { id })).session
      expect({ ...(await this.#chat.export()), id: file.id, epoch: file.epoch }).toEqual(file)
    }
    this.#last = null
  }

  async #pass(ms: number): Promise<void> {
    this.#clock.now += ms
    if (await this.#chat.info()) await this.#palimpsest.foldThrough(this.#chat.id, { signal: NO_ABORT })
  }

  /** Within an epoch each context begins with all of the one before. */
  async #look(): Promise<void> {
    if (!(await this.#chat.info())) return
    const context = await this.#chat.context()
    const { epoch } = context.report
    expect(context.report.tokens).toBeLessThanOrEqual(context.report.budget)
    const { stableMessages } = this.#last?.context.report ?? { stableMessages: 0 }
    if (this.#last?.epoch === epoch) {
      expect(context.instructions).toBe(this.#last.context.instructions)
      expect(context.messages.slice(0, stableMessages)).toEqual(
        this.#last.context.messages.slice(0, stableMessages),
      )
    }
    this.#last = { epoch, context }
  }

  async settle(): Promise<void> {
    this.#model.isDown = false
    if (!(await this.#chat.info())) return
    for (let round = 0; round < 3; round++) await this.#pass(4_000_000)
    const segments = await this.#chat.segments('all')
    // What an erasure left to a model is dirty, too, until that has been asked.
    expect(await this.#store.rebuilds.readOutdated({ namespace: 'default', id: this.#chat.id })).toBeNull()
    const texts = [
      JSON.stringify(segments.map(({ text, summary, details, events }) => [text, summary, details, events])),
    ]
    for (const budget of [undefined, 1_500, 100_000]) {
      const { instructions, messages } = await this.#chat.context(budget ? { budget } : {})
      texts.push(JSON.stringify([instructions, messages]))
      expect(texts.at(-1)).not.toContain('now says')
    }
    const words = new Set(texts.flatMap(text => text.match(/w\d+q/g) ?? []))
    expect([...words].filter(word => this.#gone.has(word))).toEqual([])
  }
}

async function check(place: StorePlace, history: readonly Command[]): Promise<void> {
  const clock = new Clock()
  const model = { isDown: false }
  const { summarizer } = scripted({
    summarize: ({ messages }: SummarizeRequest) =>
      model.isDown
        ? new Error('down')
        : {
            text: messages
              .map(({ content }) => `- ${String(content).replace(/^- /, '').slice(0, 30)}`)
              .join('\n')
              .slice(0, 300),
          },
  })
  const store = await place.open()
  const palimpsest = await createPalimpsest({
    store,
    folding: 'manual',
    // What an erasure asks of a model that is down.
    onError: () => {},
    policy: count({ threshold: 6, keepLast: 2 }),
    summarizer,
    clock: clock.read,
  })
  try {
    const world = new World(store, palimpsest, { clock, model })
    await world.run({ do: 'append', messages: 7 })
    for (const command of history) await world.run(command)
    await world.settle()
  } finally {
    await palimpsest.close()
    await place.remove()
  }
}

describe.each(Object.entries(PLACES))('edits, on %s', (name, place) => {
  test(
    'are told at once, and in the end nothing tells of what was said before',
    async () => {
      await fc.assert(
        fc.asyncProperty(commands, history => check(place(), history)),
        { numRuns: name === 'SQLite' ? runs(8, 20) : runs(2, 4) },
      )
    },
    longest(120_000),
  )
})
