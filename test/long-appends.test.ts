import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createPalimpsest, sqlite } from '../packages/palimpsest/src/index.ts'
import { measureMessage } from '../packages/palimpsest/src/tokens/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-long-'))
afterAll(() => rmSync(folder, { recursive: true }))

const long = (letter: string, characters = 300_000) => `${letter} `.repeat(characters / 2)

test('appends that are not awaited keep their order, however long some of them are', async () => {
  await using palimpsest = await createPalimpsest({
    store: sqlite(join(folder, 'order.db')),
    folding: 'manual',
  })
  const [one, other] = [palimpsest.session('one'), palimpsest.session('other')]
  const texts = [long('a'), 'b', long('c'), 'd', 'e']
  const appended = texts.map(text => palimpsest.session('one').append({ role: 'user', text }))
  const refused = one.append({ role: 'user', text: '' }).catch((error: Error) => error.name)
  await other.append({ role: 'user', text: 'no one waits for another session' })
  expect(await one.count()).toBe(0)
  expect(await refused).toBe('InvalidMessageError')
  const receipts = await Promise.all(appended)
  expect(receipts.map(({ messages }) => messages[0]!.seq)).toEqual([1, 2, 3, 4, 5])
  expect((await one.messages()).map(({ content }) => content)).toEqual(texts)
})

test.each([undefined, false] as const)('nothing overtakes a long text (redact: %s)', async redact => {
  const store = sqlite(join(folder, `overtaken-${redact}.db`))
  const palimpsest = await createPalimpsest({ store, folding: 'manual', ...(redact === false && { redact }) })
  const chat = palimpsest.session('ann', { user: 'ann' })
  const group = palimpsest.session('group', { kind: 'group' })
  await chat.append({ role: 'user', text: 'first' })
  await group.append({ role: 'user', text: 'first' })
  const appending = chat.append({ role: 'user', text: long('a', 1_000_000) })
  const forgetting = palimpsest.forget({ kind: 'person', id: 'ann' })
  await Promise.all([appending, forgetting])
  expect(await chat.info()).toBeNull()
  await Promise.all([group.edit(1, long('b', 1_000_000)), group.edit(1, 'final')])
  expect((await group.messages())[0]!.content).toBe('final')
  const [, fork] = await Promise.all([
    group.append({ role: 'user', text: long('c', 1_000_000) }),
    group.fork('fork'),
  ])
  expect(await fork.count()).toBe(2)
  await Promise.all([group.append({ role: 'user', text: long('d', 1_000_000) }), group.rollback(2)])
  expect(await group.count()).toBe(2)
  await Promise.all([group.append({ role: 'user', text: long('e', 1_000_000) }), palimpsest.close()])
})

test('a long message is measured as it is in one go, and found by its words', async () => {
  await using palimpsest = await createPalimpsest({
    store: sqlite(join(folder, 'size.db')),
    folding: 'manual',
  })
  const chat = palimpsest.session('chat')
  const text = `${long('漢字 naïve 😀')} Wolpertinger?`
  await chat.append({ role: 'user', text })
  expect((await chat.info())!.rawTokens).toBe(measureMessage({ content: text, sender: null }).tokens)
  expect((await chat.search('wolpertinger')).results.map(({ seq }) => seq)).toEqual([1])
})

test('many megabytes are read whole and in one view, while others write', async () => {
  await using palimpsest = await createPalimpsest({
    store: sqlite(join(folder, 'read.db')),
    folding: 'manual',
    indexing: 'off',
  })
  const chat = palimpsest.session('chat')
  for (const letter of 'abcd') await chat.append({ role: 'user', text: long(letter, 1_500_000) })
  const reading = chat.messages()
  const [messages] = await Promise.all([reading, chat.append({ role: 'user', text: 'meanwhile' })])
  expect(messages.map(({ seq }) => seq)).toEqual(expect.arrayContaining([1, 2, 3, 4]))
  expect(messages.slice(0, 4).map(({ content }) => (content as string)[0])).toEqual([...'abcd'])
})
