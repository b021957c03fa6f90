import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MessageInput } from '../../packages/palimpsest/src/index.ts'
import { type Ground, layGround } from './kit.ts'

/** Whose words they are, and what they answer, wherever the page shows messages. */

const ALEX = { id: 'u1', name: 'Alex' }
const OTHER = { id: 'u2', name: 'Alex' }

const SAID: readonly MessageInput[] = [
  { role: 'user', sender: ALEX, externalId: 'm1', text: 'Red chairs for 420, shall we?' },
  { role: 'user', sender: { id: 'u3', name: 'Bob' }, text: 'I am away on Friday.' },
  { role: 'user', sender: OTHER, replyTo: 'm1', text: 'Approve this one' },
  {
    role: 'user',
    sender: ALEX,
    content: [
      {
        type: 'text',
        text: 'I am allergic to peanuts.',
        origin: { kind: 'forward', from: { id: 'u9', name: 'Petra' }, at: '2026-02-08T10:00:00Z' },
      },
      { type: 'text', text: 'Petra joins us.' },
      { type: 'image', path: 'photos/1.jpg', origin: { kind: 'forward' } },
    ],
  },
  { role: 'user', sender: { id: 'u3', name: 'Robert' }, text: 'I am called Robert now.' },
]

let ground: Ground
beforeAll(async () => {
  ground = await layGround()
  await ground.append('raw', ...SAID)
  await ground.append('folded', ...SAID, { role: 'user', sender: ALEX, text: 'Good.' })
  await ground.call('POST', '/v1/sessions/folded/compact', {
    policy: 'count',
    threshold: 1,
    keepLast: 1,
    force: 'lite',
  })
})
afterAll(() => ground[Symbol.asyncDispose]())

test('raw messages and the chat say whose words were passed on, and what is answered', async () => {
  const { page, trouble } = await ground.open('#/sessions/raw')
  for (const place of ['.message-stratum', '.bubble']) {
    await page.locator(place).first().waitFor()
    const text = async (words: string) =>
      (await page.locator(place, { hasText: words }).textContent())!.replaceAll(/\s+/g, ' ')
    expect(await text('allergic')).toContain(
      'forwarded from Petra (u9), Feb 8, 2026:I am allergic to peanuts.Petra',
    )
    expect(await text('allergic')).toContain('forwarded:image photos/1.jpg')
    const [quotation, own] = ['answering Alex (u1): Red chairs for 420, shall we?', 'Approve this one']
    // Of a row that is closed the beginning is seen: there it is what was said.
    expect(await text('Approve')).toContain(place === '.bubble' ? `${quotation}${own}` : `${own}${quotation}`)
  }
  expect(trouble).toEqual([])
})

test('so do the messages under a segment, which lists its people with their earlier names', async () => {
  const { page, trouble } = await ground.open('#/sessions/folded/strata?seq=4')
  const inside = page.locator('.segment-inside')
  await inside.getByText('forwarded from Petra (u9), Feb 8, 2026').waitFor()
  await inside.getByText('answering Alex (u1)').waitFor()
  await inside.getByText('Robert (u3; earlier Bob)', { exact: true }).waitFor()
  expect(trouble).toEqual([])
})

test('a result of a search names who is quoted as the log does', async () => {
  const { page, trouble } = await ground.open('#/search?q=allergic')
  await page.locator('.search-result').getByText('forwarded from Petra (u9), Feb 8, 2026').first().waitFor()
  expect(trouble).toEqual([])
})
