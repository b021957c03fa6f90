import { afterAll, beforeAll, expect, test } from 'vitest'
import { turns } from './conversation.ts'
import { type Ground, layGround } from './kit.ts'

let ground: Ground
beforeAll(async () => {
  ground = await layGround({ environment: { policy: 'rounds' } })
})
afterAll(() => ground[Symbol.asyncDispose]())

interface Folds {
  readonly folds: readonly { readonly fromSeq: number; readonly toSeq: number; readonly throughSeq: number }[]
}

async function foldsOf(sessionId: string): Promise<readonly (readonly number[])[]> {
  const { folds } = (await ground.call('GET', `/v1/sessions/${sessionId}/folds`)) as Folds
  return folds.map(({ fromSeq, toSeq, throughSeq }) => [fromSeq, toSeq, throughSeq]).reverse()
}

test('A and B are changed on the page, and the next fold follows them', async () => {
  const { page, trouble } = await ground.open('#/settings')
  const full = page.getByRole('textbox', { name: /^A:/ })
  const folded = page.getByRole('textbox', { name: /^B:/ })
  await expect.poll(() => full.inputValue()).toBe('4')
  await ground.append('before', ...turns(7))
  await expect.poll(() => foldsOf('before')).toEqual([[1, 6, 14]])
  await full.fill('2')
  await folded.fill('1')
  await page.getByRole('img').first().waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('next message').waitFor()
  await ground.append('after', ...turns(2))
  expect(await foldsOf('after')).toEqual([])
  await ground.append('after', ...turns(1, 3))
  await expect.poll(() => foldsOf('after')).toEqual([[1, 2, 6]])
  await page.reload()
  await expect.poll(() => full.inputValue()).toBe('2')
  expect(trouble).toEqual([])
})

test('what cannot be is said at the field, nothing is changed, and nothing that was typed is lost', async () => {
  const { page } = await ground.open('#/settings')
  const full = page.getByRole('textbox', { name: /^A:/ })
  await full.waitFor()
  await expect.poll(() => full.inputValue()).not.toBe('')
  const before = await ground.call('GET', '/v1/settings')
  await full.fill('0')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('at least 1').first().waitFor()
  expect(await full.inputValue()).toBe('0')
  expect(await ground.call('GET', '/v1/settings')).toEqual(before)
})

test('the drawing follows the numbers while they are typed', async () => {
  const { page, trouble } = await ground.open('#/settings')
  const drawing = page.getByRole('img').first()
  await drawing.waitFor()
  const first = await drawing.ariaSnapshot()
  await page.getByRole('textbox', { name: /^B:/ }).fill('5')
  await expect.poll(() => drawing.ariaSnapshot()).not.toBe(first)
  expect(trouble).toEqual([])
})

test('a replay that the server refuses for a moment is asked for again', async () => {
  const { page } = await ground.open('#/sessions')
  let refused = 0
  await page.route('**/v1/replay', async route => {
    if (refused++ >= 5) return route.continue()
    const error = { code: 'rate_limited', message: 'Too many at once.' }
    await route.fulfill({ status: 429, contentType: 'application/json', body: JSON.stringify({ error }) })
  })
  await page.goto(`${ground.url}/#/settings`)
  await page.getByRole('img').first().waitFor()
  expect(refused).toBeGreaterThan(5)
  expect(await page.getByText('Too many at once.').count()).toBe(0)
})
