import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  modelSummarizer,
  type Palimpsest,
  type Segment,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
import { ANN, expectUnseen, fill, GROUP, WORDS, World } from './world.ts'

/** A real model server, which is in the middle of its answer when somebody is erased. */

let world: World
let server: ModelServer

beforeEach(async () => {
  world = new World()
  server = await startModelServer()
})

afterEach(async () => {
  await world.remove()
  await server.close()
})

const PERSON = { kind: 'person', id: ANN } as const
/** What happens by itself takes its time on a busy machine. */
const SOON = { timeout: 30_000 }

function summarizer() {
  const model = createOpenAICompatible({ name: 'test', baseURL: server.url })('small')
  return modelSummarizer(model, { timeoutMs: 30_000, maxRetries: 0 })
}

/** What a model answers that has read everything, and repeats it. */
function answer(summary: string): string {
  return JSON.stringify({ summary, events: [], details: [], memo: { topic: summary }, extracts: [] })
}

const TELLING = `Both agreed on ${WORDS} with the lemons from Porto, and on the invoice of Friday, for the harbour office.`
const FINE =
  'Bob agreed to pay for the lemons and the tea by Friday; the harbour office knows about all of it.'

const tells = (body: unknown) => JSON.stringify(body).includes(WORDS)

/** Asked with what is to be erased, or with anything, it answers only when it is told to; with the rest at once. */
function held(
  text: string,
  holds = tells,
): { readonly reply: ModelScript; readonly asked: Promise<void>; release(): void } {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    reply: async ({ body }) => {
      if (!holds(body)) return answer(FINE)
      asked.resolve()
      await released.promise
      return answer(text)
    },
    asked: asked.promise,
    release: () => released.resolve(),
  }
}

const texts = (segments: readonly Segment[]) => segments.map(({ text }) => text).join('\n')

describe('a fold in flight', () => {
  it('whose model has read what is erased stores nothing of it', async () => {
    await fill(await world.open())
    const { reply, asked, release } = held(TELLING)
    server.setReply(reply)
    const palimpsest = await world.open({ summarizer: summarizer() })
    const folding = palimpsest.session(GROUP).compact({ force: true })
    await asked
    const { id } = await palimpsest.forget(PERSON)
    await expectUnseen(palimpsest)
    release()
    expect(await folding).toMatchObject({ outcome: 'skipped', reason: 'epoch_conflict' })
    await expectUnseen(palimpsest)
    expect(await palimpsest.erased(id)).toMatchObject({ done: true })
    expect(world.found()).toEqual({})
  })

  it('and one that ends in the middle of the erasure', async () => {
    await fill(await world.open())
    const { reply, asked, release } = held(TELLING)
    server.setReply(reply)
    const stages: string[] = []
    const palimpsest = await world.open({
      summarizer: summarizer(),
      onErasure: ({ stage }) => {
        stages.push(stage)
        release()
      },
    })
    const folding = palimpsest.session(GROUP).compact({ force: true })
    await asked
    const { id } = await palimpsest.forget(PERSON)
    await folding
    await expectUnseen(palimpsest)
    await palimpsest.erased(id)
    expect(stages).toContain('done')
    expect(world.found()).toEqual({})
  })
})

describe('segments that a model made', () => {
  async function fillByModel(): Promise<Palimpsest> {
    server.setReply(({ body }) => answer(tells(body) ? TELLING : FINE))
    const palimpsest = await world.open({ summarizer: summarizer() })
    await fill(palimpsest)
    return palimpsest
  }

  const settled = (palimpsest: Palimpsest) =>
    vi.waitFor(async () => {
      const segments = await palimpsest.session(GROUP).segments('all')
      expect(segments.map(({ state }) => state)).toEqual(segments.map(() => 'live'))
      return segments
    }, SOON)

  it('tell of the rest at once, in the words of those who spoke, and later in the model’s', async () => {
    const palimpsest = await fillByModel()
    expect(texts(await palimpsest.session(GROUP).segments())).toContain(WORDS)
    const { reply, asked, release } = held(FINE, () => true)
    server.setReply(reply)
    const { id } = await palimpsest.forget(PERSON)
    await expectUnseen(palimpsest)
    const extracts = await palimpsest.session(GROUP).segments('all')
    expect(extracts.map(({ summarizer }) => summarizer)).not.toContain('small')
    for (const { text } of extracts) expect(text).toMatch(/Bob|office/)
    await asked
    // No model holds up the rest.
    expect(await palimpsest.erased(id)).toMatchObject({ done: true })
    expect(world.found()).toEqual({})
    release()
    const proper = await settled(palimpsest)
    expect(texts(proper)).toContain('Bob agreed to pay for the lemons and the tea by Friday')
    const sent = JSON.stringify(server.requests.slice(-extracts.length))
    expect(sent).not.toContain(WORDS)
    await expectUnseen(palimpsest)
    expect(world.found()).toEqual({})
  })

  it('stay extracts while the model is down, and after a restart it is asked again', async () => {
    const palimpsest = await fillByModel()
    server.setReply({ status: 500 })
    const before = server.requests.length
    await palimpsest.erased((await palimpsest.forget(PERSON)).id)
    await vi.waitFor(() => expect(world.errors).not.toEqual([]), SOON)
    await palimpsest.erased((await palimpsest.forget({ kind: 'person', id: 'nobody' })).id)
    // It is left alone for a while, whatever else is erased meanwhile.
    expect(server.requests.length - before).toBeLessThan(10)
    const extracts = await palimpsest.session(GROUP).segments('all')
    expect(extracts.map(({ state }) => state)).toContain('dirty')
    for (const { text } of extracts) expect(text).toMatch(/Bob|office/)
    await palimpsest.close()
    world.errors.length = 0
    server.setReply(answer(FINE))
    const again = await world.open({ summarizer: summarizer() })
    again.resumeErasures()
    expect(texts(await settled(again))).toContain('Bob agreed to pay for the lemons and the tea by Friday')
    expect(world.errors).toEqual([])
  })

  it('stay extracts while there is no more to spend, which is no error, and are made anew when there is', async () => {
    await (await fillByModel()).close()
    const store = sqlite(world.file, { durability: 'normal' })
    const reserve = vi.spyOn(store.spending, 'reserveCall')
    const limited = await world.open({ store, summarizer: summarizer(), spendGuard: { callsPerHour: 1 } })
    const before = server.requests.length
    await limited.erased((await limited.forget(PERSON)).id)
    await vi.waitFor(() => expect(reserve.mock.calls.length).toBeGreaterThan(1), SOON)
    await limited.close()
    expect(server.requests.length - before).toBe(1)
    expect(world.errors).toEqual([])
    const again = await world.open({ summarizer: summarizer() })
    const extracts = await again.session(GROUP).segments('all')
    expect(extracts.map(({ state }) => state)).toContain('dirty')
    expect(extracts.map(({ state }) => state)).not.toContain('provisional')
    again.resumeErasures()
    await settled(again)
    expect(world.errors).toEqual([])
  })

  it('are not replaced by what is no summary', async () => {
    const palimpsest = await fillByModel()
    server.setReply(answer('I cannot help with that.'))
    await palimpsest.erased((await palimpsest.forget(PERSON)).id)
    await vi.waitFor(() => expect(world.errors).not.toEqual([]), SOON)
    const segments = await palimpsest.session(GROUP).segments('all')
    expect(texts(segments)).not.toContain('cannot help')
    for (const { text } of segments) expect(text).toMatch(/Bob|office/)
  })
})
