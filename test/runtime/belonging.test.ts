import { afterEach, expect, test } from 'vitest'
import { SessionMismatchError } from '../../packages/palimpsest/src/index.ts'
import { type Kit, type KitOptions, runtimeKit } from './runtime-kit.ts'

const kits: Kit[] = []

async function open(options?: KitOptions): Promise<Kit> {
  const kit = await runtimeKit(options)
  kits.push(kit)
  return kit
}

afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.close()
})

const answered = async ({ clock, runtime }: Kit) => {
  await clock.advance(60_000)
  await runtime.quiet()
}

test('a chat that was without its person and scope is given them, and belongs to the person as a whole', async () => {
  const kit = await open({ belongsTo: () => ({ user: 'ann', scope: 'work' }) })
  const { palimpsest, say, errors } = kit
  await palimpsest.session('memory:42').append({ role: 'user', content: 'from before' })
  await say('hello')
  expect(await palimpsest.session('memory:42').info()).toMatchObject({ user: 'ann', scope: 'work' })
  await answered(kit)
  expect(errors).toEqual([])
  await palimpsest.forget({ kind: 'person', id: 'ann' })
  expect(await palimpsest.session('memory:42').info()).toBeNull()
})

test('what contradicts is stored and answered all the same, and reported once a chat', async () => {
  const kit = await open({ belongsTo: ({ chat }) => ({ user: `new-${chat}`, scope: 'work' }) })
  const { palimpsest, platform, say, errors } = kit
  for (const chat of ['42', '43'])
    await palimpsest.session(`memory:${chat}`, { kind: 'private', user: 'old' }).append([])
  for (const chat of ['42', '43', '42', '43']) await say(`from ${chat}`, { chat })
  await answered(kit)
  expect((await palimpsest.session('memory:42').messages()).map(({ role }) => role)).toEqual([
    'user',
    'user',
    'assistant',
  ])
  expect(platform.texts).toHaveLength(2)
  expect(errors).toHaveLength(2)
  for (const error of errors) expect(error).toBeInstanceOf(SessionMismatchError)
  expect(errors[0]).toMatchObject({
    details: { mismatches: [{ trait: 'user', given: 'new-42', stored: 'old' }] },
  })
  // Where one thing contradicts, nothing is assigned: it may be another chat altogether.
  expect(await palimpsest.session('memory:42').info()).toMatchObject({ user: 'old', scope: null })
})

test('a group that is stored as a private chat stays one, and nothing is lost', async () => {
  const kit = await open()
  const { palimpsest, say, errors } = kit
  await palimpsest.session('memory:42', { user: 'ann' }).append([])
  const group = { kind: 'group' as const, mentionsBot: true }
  expect(await say('one', group)).toMatchObject({ seq: 1, triggers: 'mention' })
  await answered(kit)
  await say('two', group)
  await answered(kit)
  expect(await palimpsest.session('memory:42').info()).toMatchObject({ kind: 'private', user: 'ann' })
  expect(await palimpsest.session('memory:42').count()).toBe(4)
  expect(errors).toHaveLength(1)
})
