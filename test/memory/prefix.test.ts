import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Context,
  type ContextOptions,
  createPalimpsest,
  type LayerName,
  type Palimpsest,
  type Session,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import { fileOf } from '../../packages/palimpsest/src/memory/workspace/index.ts'
import type { ContextStore } from '../../packages/palimpsest/src/store/index.ts'
import { storeWith } from '../../packages/palimpsest/src/store/store-with.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import { anthropicViolations, modelMessageViolations, openAIViolations } from '../provider-rules.ts'
import { runs } from '../runs.ts'
import { sqlitePlace } from '../stores.ts'
import { blockIn, checkBlocks } from './blocks.ts'
import { Clock, temporaryFolder } from './kit.ts'

const HISTORIES = runs(30, 250)
const WITH_FILES = runs(5, 40)
const BUDGET = 6_000
const ZONE = 'Asia/Shanghai'

type Layer = Exclude<LayerName, 'daily'>

type Step =
  | { do: 'say'; role: 'user' | 'assistant'; words: number }
  | { do: 'turn' }
  | { do: 'note'; by: number; tool: 'write_memory' | 'write_user_memory' | 'write_chat_memory' }
  | { do: 'write'; by: number; layer: Layer; how: 'append' | 'section' }
  | { do: 'daily'; by: number }
  | { do: 'edit file'; layer: Layer }
  | { do: 'fold'; by: number }
  | { do: 'wait'; minutes: number }

const by = fc.nat(1)
const layer = fc.constantFrom<Layer>('persona', 'global', 'user', 'scope', 'chat')

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      role: fc.constantFrom('user' as const, 'assistant' as const),
      words: fc.constantFrom(5, 40, 200),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('note' as const),
      by,
      tool: fc.constantFrom(
        'write_memory' as const,
        'write_user_memory' as const,
        'write_chat_memory' as const,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      by,
      layer,
      how: fc.constantFrom('append' as const, 'section' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('daily' as const), by }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit file' as const), layer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fold' as const), by }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      // A moment, past the cache's life, over midnight, and for days.
      minutes: fc.constantFrom(1, 20, 70, 300, 24 * 60, 2 * 24 * 60 + 30, 5 * 24 * 60),
    }),
  },
)

const KEYS: Readonly<Record<Layer, string>> = {
  persona: '',
  global: '',
  user: 'ann',
  scope: 'S',
  chat: 'chat',
}
const BLOCK = {
  persona: 'persona',
  global: 'global_memory',
  user: 'user_memory',
  scope: 'scope_memory',
  chat: 'chat_memory',
  daily: 'daily_log',
} as const

interface Written {
  readonly mark: string
  readonly layer: LayerName
  /** Of a daily entry. */
  readonly day: number | null
  /** In which epoch it was written. */
  epoch: number | null
}

/** Two processes on one database, one of them with files; a person, a bot and a clock. */
class World {
  readonly instances: readonly Palimpsest[]
  readonly clock: Clock
  readonly #folder: string | null
  readonly #written: Written[] = []
  readonly #last = new Map<string, Context>()
  #spokeAt: number | null = null

  constructor(instances: readonly Palimpsest[], clock: Clock, folder: string | null) {
    this.instances = instances
    this.clock = clock
    this.#folder = folder
  }

  chat(by: number): Session {
    return this.instances[by]!.session('chat', { user: 'ann', scope: 'S' })
  }

  async play(step: Step): Promise<void> {
    const chat = this.chat('by' in step ? step.by : 0)
    switch (step.do) {
      case 'turn':
        await chat.append({ role: 'user', content: `What about the crates? ${'lemons '.repeat(10)}` })
        await this.check()
        await chat.append({ role: 'assistant', content: 'They sail to Porto on Friday, all forty of them.' })
        this.#spokeAt = this.clock.now
        return
      case 'say':
        await chat.append({ role: step.role, content: 'word '.repeat(step.words) })
        if (step.role === 'assistant') this.#spokeAt = this.clock.now
        return
      case 'fold':
        await chat.compact({ force: true })
        return
      case 'wait':
        return this.clock.pass({ minutes: step.minutes })
      default:
        await this.#write(chat, step)
    }
  }

  async #write(
    chat: Session,
    step: Extract<Step, { do: 'note' | 'write' | 'daily' | 'edit file' }>,
  ): Promise<void> {
    const mark = `mark${String(this.#written.length).padStart(3, '0')}`
    const note = (layer: LayerName, day: number | null = null) =>
      this.#written.push({ mark, layer, day, epoch: null })
    if (step.do === 'note') {
      const output = await (await chat.memoryTools()).execute(step.tool, {
        content: `Know ${mark}.`,
        section: 'Notes',
      })
      expect(output).toHaveProperty('result')
      note(
        ({ write_memory: 'global', write_user_memory: 'user', write_chat_memory: 'chat' } as const)[
          step.tool
        ],
      )
    } else if (step.do === 'write') {
      const document = this.instances[step.by]!.memory.document(step.layer, KEYS[step.layer])
      await (step.how === 'append'
        ? document.append(`- by hand: ${mark}`)
        : document.updateSection(`About ${mark}`, `It is ${mark}.`))
      note(step.layer)
    } else if (step.do === 'daily') {
      await chat.daily().append(`- today: ${mark}`)
      note('daily', this.#today())
    } else if (this.#folder !== null) {
      await this.instances[0]!.syncWorkspace()
      const path = join(this.#folder, fileOf({ layer: step.layer, key: KEYS[step.layer] }))
      if (!existsSync(path)) return
      appendFileSync(path, `\n- in the file: ${mark}\n`)
      await this.instances[0]!.syncWorkspace()
      note(step.layer)
    }
  }

  #today(): number {
    return Math.floor((this.clock.now + 8 * 3_600_000) / 86_400_000)
  }

  /** From both processes, configured and as views. */
  async check(): Promise<void> {
    const tools = (await this.chat(0).memoryTools()).toOpenAI()
    const instructions = 'You are a shipping clerk.'
    for (const options of [{ instructions }, { instructions, tools }, { instructions, budget: 3_000 }]) {
      const context = await this.chat(0).context(options)
      this.#checkStable(options, context)
      checkContext(options, context)
      this.#checkShown(options, context)
      const other = await this.chat(1).context(options)
      expect(sent(other)).toBe(sent(context))
    }
  }

  #checkStable(options: ContextOptions, context: Context): void {
    const { report, messages, instructions } = context
    const name = `${Object.keys(options)} ${report.epoch}`
    const before = this.#last.get(name)
    this.#last.set(name, context)
    if (before === undefined) return
    expect(instructions).toBe(before.instructions)
    if (before.report.view !== report.view) return
    const stable = before.report.stableMessages
    expect(JSON.stringify(messages.slice(0, stable))).toBe(JSON.stringify(before.messages.slice(0, stable)))
    expect(report.stableMessages).toBeGreaterThanOrEqual(stable)
  }

  #checkShown(options: ContextOptions, { instructions, messages, report }: Context): void {
    const changes = messages.map(({ content }) => String(content)).find(text => text.startsWith('<recent_'))
    // Only a small view has to leave some out, and says so.
    const isClipped = changes?.includes('[… more has changed …]') === true
    if (options.budget === undefined) expect(isClipped).toBe(false)
    for (const written of this.#written) {
      const { mark, layer, day } = written
      written.epoch ??= report.epoch
      const isExpired = day !== null && this.#isExpired(day)
      const block = blockIn(instructions, BLOCK[layer]) ?? ''
      const isInBlock = block.includes(mark)
      const isTold = changes?.includes(mark) === true
      if (isExpired) expect(`${mark} ${isInBlock || isTold ? 'shown' : 'gone'}`).toBe(`${mark} gone`)
      else if (day === null || day >= this.#today() - 1) {
        expect(
          `${mark} ${isInBlock || isTold || isClipped ? 'shown' : `missing in ${Object.keys(options)}`}`,
        ).toBe(`${mark} shown`)
        // With the next epoch it is where it belongs, and nothing has to be told of it any more.
        if (report.epoch > written.epoch) expect(`${mark} ${isInBlock && !isTold}`).toBe(`${mark} true`)
      }
    }
  }

  /** Past the second midnight, and past the cache's life; past the third midnight in any case. */
  #isExpired(day: number): boolean {
    const age = this.#today() - day
    const isSilent = this.#spokeAt !== null && this.clock.now - this.#spokeAt > 3_600_000
    return age >= 3 || (age === 2 && isSilent)
  }
}

const sent = ({ instructions, messages }: Context) => JSON.stringify([instructions, messages])

function checkContext(options: ContextOptions, context: Context): void {
  const budget = options.budget ?? BUDGET
  expect(context.report.tokens).toBeLessThanOrEqual(budget)
  expect(recounted(context)).toBeLessThanOrEqual(budget)
  checkBlocks(context)
  expect(modelMessageViolations(context.messages)).toEqual([])
  if (context.messages.length === 0) return
  expect(openAIViolations(context.toOpenAI())).toEqual([])
  expect(anthropicViolations(context.toAnthropic())).toEqual([])
}

/** Counted anew from what is sent, by nobody's bookkeeping. */
function recounted({ instructions, messages }: Context): number {
  return messages.reduce(
    (sum, { content }) =>
      sum + 4 + estimateTokens(typeof content === 'string' ? content : JSON.stringify(content)),
    estimateTokens(instructions),
  )
}

async function inWorld(hasFiles: boolean, use: (world: World) => Promise<void>): Promise<void> {
  const place = sqlitePlace()
  const folder = temporaryFolder()
  const clock = new Clock(Date.UTC(2026, 2, 2, 12))
  const options = {
    policy: tokens({ budget: BUDGET }),
    folding: 'manual',
    zone: ZONE,
    clock: clock.read,
    memory: { owner: 'ann' },
  } as const
  const first = await createPalimpsest({
    ...options,
    store: await place.open(),
    ...(hasFiles && { workspace: folder.path }),
  })
  const second = await createPalimpsest({ ...options, store: await place.open() })
  try {
    const world = new World([first, second], clock, hasFiles ? folder.path : null)
    await world.chat(0).append({ role: 'user', content: 'Hello, I am Ann and I run the harbour office.' })
    await use(world)
  } finally {
    await second.close()
    await first.close()
    await place.remove()
    folder.remove()
  }
}

describe('a context with memory', () => {
  for (const [name, hasFiles, runs] of [
    ['whoever writes', false, HISTORIES],
    ['a person in a file, too', true, WITH_FILES],
  ] as const)
    it(`is stable through an epoch, and tells what was written at once: ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), steps =>
          inWorld(hasFiles, async world => {
            for (const step of steps) {
              await world.play(step)
              await world.check()
            }
          }),
        ),
        { numRuns: runs },
      )
    })
})

describe('memory in a context', () => {
  it('speaks the language of the chat in every view, however often it is asked for', () =>
    inWorld(false, async world => {
      const chat = world.instances[0]!.session('中文', { user: 'ann' })
      await chat.append({ role: 'user', content: '你好，我叫小明，我住在上海，我们明天去看房子。' })
      await chat.memory.append('- 小明喜欢茶')
      const views = [{ budget: 3_000 }, { budget: 3_000 }, { budget: BUDGET }, {}, {}]
      const said: string[] = []
      for (const options of views) said.push((await chat.context(options)).instructions)
      expect(new Set(said).size).toBe(1)
      expect(said[0]).toContain('只属于这个聊天的内容')
    }))

  it('lets an entry of the day before yesterday go after an hour of silence, whoever looked meanwhile', () =>
    inWorld(false, async world => {
      const chat = world.chat(0)
      await chat.daily().append('- the crane is broken')
      await chat.append({ role: 'assistant', content: 'I will tell the crane driver.' })
      expect((await chat.context()).instructions).toContain('crane is broken')
      world.clock.pass({ days: 1, hours: 3 })
      await chat.edit(1, 'Hello, I am Ann.')
      await chat.append({ role: 'user', content: 'And now?' })
      await chat.context()
      world.clock.pass({ minutes: 40 })
      await chat.append({ role: 'assistant', content: 'It is still broken.' })
      const { report } = await chat.context()
      world.clock.pass({ minutes: 50 })
      // Past midnight, but in one go: what the provider has read stays as it is.
      expect(await chat.context()).toMatchObject({ report: { epoch: report.epoch } })
      world.clock.pass({ minutes: 20 })
      expect((await chat.context()).instructions).not.toContain('crane is broken')
      expect((await chat.daily('2026-03-02').read())?.content).toContain('crane is broken')
    }))

  it('shows a document that is too large in part, says so there, and reports it', () =>
    inWorld(false, async world => {
      const { memory } = world.instances[0]!
      const notes = Array.from({ length: 400 }, (_, place) => `- note ${place} about the lemons of Porto`)
      await memory.global.replace(`# Memory\n${notes.join('\n')}\n`)
      await memory.persona.replace('You are Nova.\n')
      for (const options of [{}, { budget: 1_500 }, { budget: 100_000 }]) {
        const { instructions, report } = await world.chat(0).context(options)
        expect(blockIn(instructions, 'global_memory')).toMatch(/^\[… \d+ lines are left out here …\]$/m)
        expect(blockIn(instructions, 'persona')).toBe('You are Nova.')
        expect(report.omitted[0]).toEqual({
          what: 'memory',
          reason: 'over_budget',
          fromSeq: 0,
          toSeq: 0,
          count: 1,
        })
        const tokens = report.blocks.find(({ name }) => name === 'global_memory')!.tokens
        // A third of the context is for all layers together, and their frames.
        expect(tokens).toBeLessThanOrEqual(Math.min(1_500, (options.budget ?? BUDGET) / 3) + 40)
      }
    }))

  it('is no error of anybody’s where an epoch begins between a look at it and its freezing', async () => {
    const place = sqlitePlace()
    const errors: unknown[] = []
    const [store, other] = [await place.open(), await place.open()]
    const options = { policy: tokens({ budget: BUDGET }), folding: 'manual' } as const
    const elsewhere = await createPalimpsest({ ...options, store: other })
    let edits = 0
    const freezeLayers: ContextStore['freezeLayers'] = async (...request) => {
      await elsewhere.session('chat').edit(1, `edited ${++edits}`)
      return store.context.freezeLayers(...request)
    }
    const overtaken = storeWith(store, { context: { ...store.context, freezeLayers } })
    const here = await createPalimpsest({
      ...options,
      store: overtaken,
      onError: error => errors.push(error),
    })
    const chat = here.session('chat', { user: 'ann' })
    await chat.append({ role: 'user', content: 'Hello' })
    await chat.context()
    await chat.memory.append('- the crane is broken')
    const { instructions } = await chat.context()
    expect(instructions).toContain('crane is broken')
    expect(edits).toBeGreaterThan(1)
    expect(errors).toEqual([])
    await here.close()
    await elsewhere.close()
    await place.remove()
  })
})
