import { generateText } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  rounds,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import { scriptedModel } from '../../packages/palimpsest/src/testing/index.ts'
import { PLACES, type StorePlace } from '../stores.ts'

const textOf = async (chat: Session, options = {}) => JSON.stringify((await chat.context(options)).messages)

async function talk(chat: Session, ...questions: readonly string[]): Promise<void> {
  for (const content of questions)
    await chat.append([
      { role: 'user', content },
      { role: 'assistant', content: `Noted: ${content}` },
    ])
}

describe.for(Object.entries(PLACES))('a new beginning on %s', ([, newPlace]) => {
  let place: StorePlace
  let palimpsest: Palimpsest
  let chat: Session

  beforeEach(async () => {
    place = newPlace()
    palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: rounds({ fullContextTurns: 2, cachedContextTurns: 1 }),
    })
    chat = palimpsest.session('chat', { user: 'ann' })
  })

  afterEach(async () => {
    await palimpsest.close()
    await place.remove()
  })

  it('takes nothing of what is known about the person', async () => {
    await palimpsest.memory.user('ann').append('- Ann is allergic to nuts.')
    await chat.memory.append('- The dog is called Rex.')
    await talk(chat, 'I live in Elm Street 12', 'I was born in Rome')
    const { afterSeq } = (await chat.newBeginning())!
    expect(afterSeq).toBe(4)
    const { instructions, messages, report } = await chat.context()
    expect(instructions).toContain('allergic to nuts')
    expect(instructions).toContain('Rex')
    expect(messages).toEqual([])
    expect(report.beginsAfter).toBe(4)
    expect(await chat.newBeginning()).toBeNull()
    await palimpsest.settled()
    expect((await chat.segments()).map(({ fromSeq, toSeq, reason }) => [fromSeq, toSeq, reason])).toEqual([
      [1, 4, 'new_beginning'],
    ])
    expect((await chat.context()).instructions).toContain('Elm Street 12')
    expect((await chat.search('Elm Street')).results.map(({ seq }) => seq)).toContain(1)
    expect((await chat.expand({ segment: (await chat.segments())[0]!.id })).messages).toHaveLength(4)
    // Recall reaches behind it, too: for what memory does not tell already.
    expect(await textOf(chat, { query: 'Where do I live? Elm Street' })).toContain('Noted')
  })

  it('holds nothing of a message before it that is edited', async () => {
    await talk(chat, 'I live in Elm Street 12', 'I was born in Rome', 'And in May', 'Right')
    await palimpsest.settled()
    await chat.edit(1, 'I live in Oak Avenue 99')
    expect(await textOf(chat)).toContain('Oak Avenue 99')
    await chat.newBeginning()
    expect(await textOf(chat)).not.toContain('Oak Avenue')
    await talk(chat, 'Hello again')
    await chat.edit(3, 'I was born in Faro')
    expect(await textOf(chat)).not.toMatch(/Oak Avenue|Faro|corrected/)
    // Behind it, the segments are mended all the same, and taken back it shows them so.
    await chat.rollback(8)
    await chat.undoNewBeginning()
    expect(await textOf(chat)).toMatch(/Oak Avenue 99[\s\S]*Faro|Faro[\s\S]*Oak Avenue 99/)
  })

  it('counts the turns from there on: with A = 2 and B = 1, the first goes when the third is complete', async () => {
    await talk(chat, 'one', 'two')
    await chat.newBeginning()
    await palimpsest.settled()
    await talk(chat, 'three', 'four')
    await palimpsest.settled()
    expect((await chat.info())?.compactedThrough).toBe(4)
    await talk(chat, 'five')
    await palimpsest.settled()
    expect((await chat.segments()).map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual([
      [1, 4],
      [5, 6],
    ])
    const shown = await textOf(chat, { budget: 500_000 })
    expect(shown).toContain('three')
    expect(shown).not.toContain('two')
  })

  it('answers an answer under way from what it saw, and lies behind what it says', async () => {
    await chat.append({ role: 'user', content: 'What is the capital of France?' })
    const model = scriptedModel('Paris.')
    const turn = await chat.turn()
    await chat.newBeginning()
    await turn.finish(await generateText({ model, ...turn.prompt } as never))
    expect(JSON.stringify(model.requests)).toContain('capital of France')
    expect((await chat.info())?.beginsAfter).toBe(2)
    expect((await chat.context()).messages).toEqual([])
    await chat.append({ role: 'user', content: 'Hello' })
    expect(await textOf(chat)).not.toContain('Paris')
  })

  it('refuses a fold that was begun before it, and what that would have told is told all the same', async () => {
    const begun = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    let calls = 0
    await palimpsest.close()
    palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: rounds({ fullContextTurns: 1, cachedContextTurns: 1 }),
      handlers: {
        lite: async ({ messages, range, decision }) => {
          calls += 1
          if (calls === 1) {
            begun.resolve()
            await go.promise
          }
          const details = { summary: `${messages.length} messages`, events: [], details: [], level: 1 }
          return {
            segments: [
              {
                ...{ ...details, fromSeq: range.fromSeq, toSeq: range.toSeq, messageCount: messages.length },
                ...{ state: 'live', type: decision.type, reason: decision.reason, absorbs: [] },
                ...{ summarizer: 'own', promptVersion: '1', tokensBefore: 10, tokensAfter: 3 },
              },
            ],
          } as never
        },
      },
    })
    chat = palimpsest.session('chat', { user: 'ann' })
    await talk(chat, 'one', 'two')
    await begun.promise
    await chat.newBeginning()
    go.resolve()
    await palimpsest.settled()
    // A range that changed meanwhile is looked at again a moment later.
    await chat.compact()
    expect((await chat.segments()).map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual([[1, 4]])
  })

  it('goes with a rollback to before it, stays with one to after it, and survives the erasure around it', async () => {
    await talk(chat, 'one', 'two', 'three')
    await chat.newBeginning()
    await palimpsest.settled()
    await talk(chat, 'four')
    expect((await chat.rollback(6)).beginsAfter).toBe(6)
    await palimpsest.forget({ kind: 'messages', sessionId: 'chat', seqs: [5, 6] })
    expect((await chat.info())?.beginsAfter).toBe(6)
    expect((await chat.context()).messages).toEqual([])
    const fork = await chat.fork('early', 2)
    expect((await fork.info())?.beginsAfter).toBeNull()
    expect(await textOf(fork)).toContain('one')
    expect((await chat.rollback(2)).beginsAfter).toBeNull()
    expect(await textOf(chat)).toContain('one')
    expect(await chat.beginnings()).toEqual([])
  })
})
