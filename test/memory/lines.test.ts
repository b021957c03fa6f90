import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Context,
  createPalimpsest,
  type Fact,
  type Palimpsest,
  type Session,
  type Store,
  type Summarizer,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import { runs } from '../runs.ts'
import { postgresPlace, type StorePlace, sqlitePlace } from '../stores.ts'
import { blockIn, checkBlocks } from './blocks.ts'
import { Clock } from './kit.ts'

/**
 * What folds write for good outlives the summaries: a line is left out of a context only while a segment of level 1
 * with its messages is shown in that same context.
 */

const BUDGET = 4_000
/** Less than all layers together may take, so that a layer's own budget is what fills up. */
const BUDGETS = { chat: 240, daily: 100 }
const FILLER = 'the crates of lemons sail to Porto and the crane driver waits '
/** What a cut document says of what is missing, and what lines take more together than one by one. */
const NOTE_TOKENS = 30

/** It tells facts to memory alone, so that what a context knows of them it knows from there. */
const summarizer: Summarizer = {
  name: 'test:model',
  version: '1',
  sourceTokens: 100_000,
  summarize: async ({ messages, of, budgetTokens, extracts }) => ({
    text: FILLER.repeat(of === 'summaries' ? 2 : Math.max(1, Math.floor(budgetTokens / 16))).trim(),
    events: [],
    details: [],
    memo: {},
    ...(extracts && {
      extracts: messages.flatMap(({ seq, content }) => {
        const fact = /Fact \d+ [a-z ]+ stays/.exec(String(content))?.[0]
        return fact ? [{ text: fact, on: '2026-03-02', seq }] : []
      }),
    }),
  }),
}

type Step =
  | { do: 'talk'; turns: number; by: number }
  | { do: 'fold'; times: number; by: number }
  | { do: 'note'; words: number; by: number }
  | { do: 'daily'; by: number }
  | { do: 'pin'; at: number }
  | { do: 'rollback'; at: number }
  | { do: 'edit'; at: number }
  | { do: 'wait'; hours: number }

const by = fc.nat(1)
const at = fc.nat(99)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('talk' as const), turns: fc.integer({ min: 1, max: 5 }), by }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('fold' as const), times: fc.integer({ min: 1, max: 4 }), by }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('note' as const), words: fc.constantFrom(4, 30, 150), by }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('daily' as const), by }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pin' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollback' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(2, 30) }) },
)

const VIEWS: readonly { readonly budget?: number }[] = [{}, { budget: 1_600 }, { budget: 40_000 }]

/** Two processes on one database. */
class World {
  readonly instances: readonly Palimpsest[]
  readonly clock: Clock
  readonly #store: Store
  readonly #last = new Map<string, Context>()
  #facts = 0

  constructor(instances: readonly Palimpsest[], clock: Clock, store: Store) {
    this.instances = instances
    this.clock = clock
    this.#store = store
  }

  chat(by = 0): Session {
    return this.instances[by]!.session('chat', { user: 'ann' })
  }

  async play(step: Step): Promise<void> {
    const chat = this.chat('by' in step ? step.by : 0)
    if (step.do === 'wait') return this.clock.pass({ hours: step.hours })
    if (step.do === 'talk') return this.#talk(chat, step.turns)
    if (step.do === 'fold') return this.#fold(chat, step.times)
    if (step.do === 'note')
      return void (await chat.memory.append(`- By hand: ${'word '.repeat(step.words)}`, { section: 'Notes' }))
    if (step.do === 'daily') return void (await chat.daily().append('- by hand'))
    const visible = await chat.messages({ limit: 1_000 })
    const { seq } = visible[step.at % visible.length]!
    if (step.do === 'rollback') await chat.rollback(seq)
    else if (step.do === 'edit') await chat.edit(seq, `Edited. ${FILLER}`)
    else await chat.pin(seq).catch(() => {})
  }

  async #talk(chat: Session, turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      this.#facts += 1
      const fact = `Fact ${this.#facts} of pier ${'abcdefgh'[this.#facts % 8]} stays`
      await chat.append({ role: 'user', content: `${fact}. ${FILLER.repeat(18)}` })
      await chat.append({ role: 'assistant', content: FILLER.repeat(12) })
    }
  }

  async #fold(chat: Session, times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      await this.#talk(chat, 1)
      await chat.compact({ force: true })
    }
  }

  async check(): Promise<void> {
    for (const options of VIEWS) {
      const context = await this.chat().context(options)
      checkBlocks(context)
      expect(context.report.tokens).toBeLessThanOrEqual(options.budget ?? BUDGET)
      const other = await this.chat(1).context(options)
      expect(JSON.stringify([other.instructions, other.messages])).toBe(
        JSON.stringify([context.instructions, context.messages]),
      )
      this.#checkStable(JSON.stringify(options), context)
      expect(await this.#unaccounted(context, options.budget !== undefined)).toEqual([])
    }
  }

  #checkStable(view: string, context: Context): void {
    const { report, messages, instructions } = context
    const name = `${view} ${report.view}`
    const before = this.#last.get(name)
    this.#last.set(name, context)
    if (before === undefined) return
    const isAskedAgain = before.report.throughSeq === report.throughSeq
    const stable = Math.min(before.report.stableMessages, before.messages.length - (isAskedAgain ? 1 : 0))
    expect(instructions).toBe(before.instructions)
    expect(JSON.stringify(messages.slice(0, stable))).toBe(JSON.stringify(before.messages.slice(0, stable)))
  }

  /** Lines of folds that this context neither shows nor tells nor had to leave out, or that it says twice. */
  async #unaccounted(context: Context, isView: boolean): Promise<readonly string[]> {
    const chat = this.chat()
    const told = await toldBy(chat, context)
    const changes = context.messages
      .map(({ content }) => String(content))
      .find(text => text.startsWith('<recent_'))
    const isReported = context.report.omitted.some(({ what }) => what === 'memory')
    const faults: string[] = []
    for (const { name, layer, facts } of await this.#layers()) {
      const block = blockIn(context.instructions, name) ?? ''
      const blockTokens = context.report.blocks.find(each => each.name === name)?.tokens ?? 0
      for (const [line, from] of Map.groupBy(facts, fact => fact.line)) {
        const isTold = from.every(({ origin }) => told(origin))
        const isNews = changes?.includes(line.slice(2)) === true
        const isShown = block.includes(line) || isNews
        const isFull = isView || blockTokens + estimateTokens(line) + NOTE_TOKENS > BUDGETS[layer]
        if (!isShown && !isTold && !(isReported && isFull)) faults.push(`${name} lacks ${line}`)
        if (isShown && isTold && !isNews) faults.push(`${name} repeats ${line}`)
      }
    }
    return faults
  }

  async #layers() {
    const chat = this.chat()
    // Which days an epoch shows is another test's business.
    const session = await this.#store.sessions.readSession({ namespace: 'default', id: 'chat' })
    const days = session?.layers?.days ?? []
    const daily = await Promise.all(days.map(day => factsOf(chat.daily(day))))
    return [
      { name: 'chat_memory' as const, layer: 'chat' as const, facts: await factsOf(chat.memory) },
      { name: 'daily_log' as const, layer: 'daily' as const, facts: daily.flat() },
    ]
  }
}

async function factsOf(document: { facts(): Promise<readonly Fact[]> }): Promise<readonly Fact[]> {
  return (await document.facts()).filter(({ from }) => from === 'fold')
}

/** Whether segments of level 1 that the context shows whole tell of these messages. */
async function toldBy(chat: Session, { sessionMemory }: Context) {
  const shown = (await chat.segments()).filter(
    ({ level, fromSeq, toSeq, summary }) =>
      level === 1 && sessionMemory?.includes(`## Messages ${fromSeq}–${toSeq}\n${summary}`) === true,
  )
  return ({ fromSeq, toSeq }: Fact['origin']) => {
    let through = fromSeq - 1
    for (const segment of shown)
      if (segment.fromSeq <= through + 1 && segment.toSeq > through) through = segment.toSeq
    return through >= toSeq
  }
}

async function inWorld(place: StorePlace, use: (world: World) => Promise<void>): Promise<void> {
  const clock = new Clock()
  const options = {
    policy: tokens({ budget: BUDGET, lowWater: 0.1 }),
    folding: 'manual',
    clock: clock.read,
    summarizer,
    memory: { extract: 'batch', budgets: BUDGETS },
  } as const
  const stores = [await place.open(), await place.open()] as const
  const instances = await Promise.all(stores.map(store => createPalimpsest({ ...options, store })))
  try {
    const world = new World(instances, clock, stores[0])
    await world.chat().append({ role: 'user', content: 'Hello, I run the harbour office.' })
    await use(world)
  } finally {
    for (const instance of instances) await instance.close()
    await place.remove()
  }
}

describe('a line that a fold left', () => {
  it('is in the context, in a segment of level 1 that is shown, or reported with its layer full', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), steps =>
        inWorld(sqlitePlace(), async world => {
          for (const step of steps) {
            await world.play(step)
            await world.check()
          }
        }),
      ),
      { numRuns: runs(12, 60) },
    )
  })

  for (const [database, place] of [
    ['SQLite', sqlitePlace],
    ['PostgreSQL', postgresPlace],
  ] as const)
    it(`is shown once its segment is condensed, left out, or gone, on ${database}`, () =>
      inWorld(place(), async world => {
        const chat = world.chat()
        const lineOf = (number: number) => new RegExp(`^- 2026-03-02: Fact ${number} of pier . stays$`, 'm')
        const chatMemory = async (options = {}) =>
          blockIn((await chat.context(options)).instructions, 'chat_memory') ?? ''
        await world.play({ do: 'fold', times: 4, by: 0 })
        expect((await chat.segments()).map(({ level }) => level)).toEqual([1, 1, 1])
        expect((await chat.memory.read())!.content).toMatch(lineOf(1))
        expect(await chatMemory()).not.toMatch(lineOf(1))
        // What is pinned leaves a smaller view no room for the older segments.
        const small = { budget: 1_600 }
        expect(await chatMemory(small)).not.toMatch(lineOf(1))
        const pins = []
        for (const seq of [2, 4, 6]) pins.push(await chat.pin(seq))
        expect(await chatMemory(small)).toMatch(lineOf(1))
        expect(await chatMemory()).not.toMatch(lineOf(1))
        for (const { id } of pins) await chat.unpin(id)
        expect(await chatMemory(small)).not.toMatch(lineOf(1))
        // A view that shows the messages, and no segment.
        expect(await chatMemory({ budget: 40_000 })).toMatch(lineOf(1))
        while ((await chat.segments()).every(({ level }) => level === 1)) {
          await world.play({ do: 'fold', times: 1, by: 0 })
          await world.check()
        }
        expect(await chatMemory()).toMatch(lineOf(1))
        const condensed = (await chat.segments())[0]!
        expect(condensed.level).toBe(2)
        // Taken back, the segment of level 1 tells of it again.
        await chat.rollback(condensed.toSeq - 1)
        expect(await chatMemory()).not.toMatch(lineOf(1))
        await world.check()
      }))
})
