import { expect, it } from 'vitest'
import type { MessageInput } from '../../packages/palimpsest/src/index.ts'
import { PRESET_NAMES, presetFromSettings } from '../../packages/palimpsest/src/policy/index.ts'
import { sqlitePlace } from '../stores.ts'
import { checkTranscript } from './check-transcript.ts'
import { smallTalk } from './small-talk.ts'

const BUDGET = 1_500

it.each(PRESET_NAMES)(
  'a private chat under %s: no gap, no overflow, nothing invalid, at any point',
  async name => {
    await check(name, 'private', take(smallTalk(3), 400))
  },
)

it.each(PRESET_NAMES)('a group that nobody answers, under %s', async name => {
  const talk = [...take(smallTalk(4), 400)].map((message, index) => ({
    ...message,
    role: 'user' as const,
    sender: { id: `u${index % 5}`, name: ['Ann', 'Ann', '小李', 'Bo: ]', ''][index % 5]! },
  }))
  await check(name, 'group', talk)
})

it.each(PRESET_NAMES)('a chat in Chinese under %s: Chinese summaries', async name => {
  const talk = [...take(smallTalk(5), 1_800)].filter(({ content }) =>
    /^\p{Script=Han}/u.test(String(content)),
  )
  const summaries = await check(name, 'private', talk)
  const letters = summaries.replace(/user|assistant/g, '').match(/\p{L}/gu) ?? []
  expect(letters.length).toBeGreaterThan(0)
  const han = letters.filter(letter => /\p{Script=Han}/u.test(letter))
  expect(han.length / letters.length).toBeGreaterThan(0.8)
})

async function check(
  name: (typeof PRESET_NAMES)[number],
  kind: 'private' | 'group',
  talk: Iterable<MessageInput>,
) {
  const place = sqlitePlace()
  const store = await place.open()
  const checked = await checkTranscript(talk, {
    store,
    policy: presetFromSettings(name, { budget: BUDGET }),
    budget: BUDGET,
    kind,
    id: 'scenario',
  })
  expect(checked.problems).toEqual([])
  expect(checked.folds).toBeGreaterThan(1)
  const summaries = (await checked.session.segments()).map(({ summary }) => summary).join('')
  await store.close()
  await place.remove()
  return summaries
}

function* take(talk: Iterator<MessageInput>, count: number): Generator<MessageInput> {
  for (let index = 0; index < count; index++) yield talk.next().value
}
