import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { message, messages, scripted } from '../../../../test/folding-kit.ts'
import { type StorePlace, sqlitePlace } from '../../../../test/stores.ts'
import { count, createPalimpsest, type Palimpsest, type Summarizer, tokens } from '../index.ts'
import type { Segment } from '../log/index.ts'
import type { Store, WithheldSegment } from '../store/index.ts'
import { extractive } from '../summarizer/index.ts'
import { type RebuildEngine, rebuildSegment } from './rebuild-segment.ts'

const KEY = { namespace: 'default', id: 'chat' }
const POLICY = tokens({ budget: 4_000 })
const { signal } = new AbortController()

let place: StorePlace
let store: Store
let palimpsest: Palimpsest

beforeEach(async () => {
  place = sqlitePlace()
  store = await place.open()
  palimpsest = await createPalimpsest({ store, policy: POLICY, folding: 'manual', indexing: 'off' })
})

afterEach(async () => {
  await palimpsest.close()
  await place.remove()
})

const engine = (summarizer: Summarizer = extractive()): RebuildEngine => ({
  store,
  policy: POLICY,
  summarizer,
  zone: 'UTC',
})

/** A segment as an erasure would have withheld it. */
async function withheld(segment: Segment): Promise<WithheldSegment> {
  const { epoch } = (await store.sessions.readSession(KEY))!
  const all = await store.folds.readSegments(KEY, 'all')
  return { key: KEY, epoch, segment, lower: all.filter(({ rolledInto }) => rolledInto === segment.id) }
}

async function rebuild(segment: Segment, summarizer: Summarizer = extractive(), by = summarizer) {
  const options = { summarizer: by, signal }
  return (await rebuildSegment(engine(summarizer), await withheld(segment), options)).segment
}

/** Folds until segments of the second level are there. */
async function fillTwoLevels(): Promise<readonly Segment[]> {
  const chat = palimpsest.session('chat')
  for (let first = 1; first < 2_000; first += 20) {
    await chat.append(messages(first, first + 19))
    await chat.compact({ force: true })
    const all = await store.folds.readSegments(KEY, 'all')
    if (all.some(({ level }) => level === 2)) return all
  }
  throw new Error('no second level')
}

describe('made anew from the same, a segment', () => {
  test('of messages says the same', async () => {
    const chat = palimpsest.session('chat')
    for (let first = 1; first < 40; first += 20) {
      await chat.append(messages(first, first + 19))
      await chat.compact({ force: true })
    }
    const all = await store.folds.readSegments(KEY, 'shown')
    expect(all.map(({ level }) => level)).toEqual([1, 1])
    for (const segment of all) {
      const { text, summary, events, details, messageCount, tokensBefore, tokensAfter } = segment
      expect(await rebuild(segment)).toMatchObject({
        ...{ id: segment.id, text, summary, events, details, messageCount, tokensBefore, tokensAfter },
        ...{ summarizer: segment.summarizer, isProper: true },
      })
    }
  })

  test('of segments is about as large, and covers the same', async () => {
    const all = await fillTwoLevels()
    const upper = all.find(({ level }) => level === 2)!
    const rebuilt = await rebuild(upper)
    expect(rebuilt).toMatchObject({ messageCount: upper.messageCount, isProper: true })
    expect(rebuilt.text).toMatch(new RegExp(`^## Messages ${upper.fromSeq}–${upper.toSeq}\n`))
    expect(Math.abs(rebuilt.tokensAfter - upper.tokensAfter)).toBeLessThan(upper.tokensAfter / 2)
  })

  test('that was short is kept as it is, and needs no model', async () => {
    palimpsest.configure({ policy: count({ threshold: 5, keepLast: 1 }) })
    const chat = palimpsest.session('chat')
    await chat.append(Array.from({ length: 6 }, (_, index) => message(index + 1, 'tea')))
    await chat.compact({ force: true })
    const [segment] = await store.folds.readSegments(KEY, 'all')
    const model = scripted({ summarize: () => new Error('not to be called') })
    const rebuilt = await rebuild(segment!, model.summarizer)
    expect(rebuilt).toMatchObject({ text: segment!.text, summarizer: 'verbatim', isProper: true })
    expect(model.calls).toEqual([])
  })
})

describe('with a model configured', () => {
  test('an extract is not what is to stay, and what the model says is', async () => {
    const [segment] = await fillTwoLevels()
    const model = scripted({ summarize: () => ({ text: '- Ann: forty crates, by a model' }) })
    expect(await rebuild(segment!, model.summarizer, extractive())).toMatchObject({ isProper: false })
    expect(model.calls).toEqual([])
    const proper = await rebuild(segment!, model.summarizer)
    expect(proper).toMatchObject({
      summary: '- Ann: forty crates, by a model',
      summarizer: 'scripted',
      isProper: true,
    })
    expect(model.calls).toEqual(['s'])
    expect(model.summaries[0]).not.toHaveProperty('memo')
    expect(model.summaries[0]).not.toHaveProperty('extracts')
  })

  test('what is no summary is refused, as in a fold', async () => {
    const [segment] = await fillTwoLevels()
    for (const text of ['', 'I cannot help with that.', 'Error generating summary']) {
      const model = scripted({ summarize: () => ({ text }) })
      await expect(rebuild(segment!, model.summarizer)).rejects.toThrow(/no summary/)
    }
  })

  test('a source that is larger than a call takes in is given in parts', async () => {
    const all = await fillTwoLevels()
    const segment = all.toSorted((one, other) => other.tokensBefore - one.tokensBefore)[0]
    const model = scripted({
      sourceTokens: 500,
      summarize: (_, call) => ({ text: `- Ann: part ${call} tells of forty crates of lemons to Porto` }),
    })
    const rebuilt = await rebuild(segment!, model.summarizer)
    expect(model.calls.length).toBeGreaterThan(2)
    expect(rebuilt).toMatchObject({ messageCount: segment!.messageCount, isProper: true })
    expect(rebuilt.tokensAfter).toBeLessThan(segment!.tokensBefore)
  })
})

test('where nothing is left, it says nothing', async () => {
  const chat = palimpsest.session('chat')
  const all = await fillTwoLevels()
  await chat.rollback(1)
  for (const segment of all.filter(({ fromSeq }) => fromSeq > 1)) {
    const { segment: rebuilt } = await rebuildSegment(
      engine(),
      { key: KEY, epoch: 7, segment, lower: [] },
      { summarizer: extractive(), signal },
    )
    expect(rebuilt).toMatchObject({
      id: segment.id,
      expectedEpoch: 7,
      text: '',
      summary: '',
      messageCount: 0,
    })
  }
})

test('a range of any length becomes one segment', async () => {
  const chat = palimpsest.session('chat')
  for (let first = 1; first < 4_000; first += 500) await chat.append(messages(first, first + 499))
  const segment: Segment = {
    ...{
      id: 1,
      fromSeq: 1,
      toSeq: 4_000,
      messageCount: 4_000,
      summary: '',
      events: [],
      details: [],
      text: '',
    },
    ...{ level: 1, state: 'live', rolledInto: null, type: 'own', reason: 'own', summarizer: 'own' },
    ...{ promptVersion: '1', tokensBefore: 0, tokensAfter: 0, createdAt: new Date() },
  }
  const rebuilt = await rebuild(segment)
  expect(rebuilt.messageCount).toBe(4_000)
  expect(rebuilt.tokensBefore).toBeGreaterThan(200_000)
  expect(rebuilt.tokensAfter).toBeLessThan(1_000)
  expect(rebuilt.text).toMatch(/^## Messages 1–4000\n- /)
})

test('ends when it is told to', async () => {
  const [segment] = await fillTwoLevels()
  const abort = new AbortController()
  abort.abort(new Error('closed'))
  const building = rebuildSegment(engine(), await withheld(segment!), {
    summarizer: extractive(),
    signal: abort.signal,
  })
  await expect(building).rejects.toThrow('closed')
})
