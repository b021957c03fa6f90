import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ground, layGround } from './kit.ts'

let ground: Ground
beforeAll(async () => {
  ground = await layGround()
  for (let index = 0; index < 60; index++)
    await ground.append(`web:${String(index).padStart(2, '0')}`, { role: 'user', text: 'Hello' })
})
afterAll(() => ground[Symbol.asyncDispose]())

test('sessions are listed, the one that was used last first, and counts are live', async () => {
  const { page, trouble } = await ground.open('')
  const rows = page.locator('.session-row')
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByText('Only the most recent are listed').waitFor()
  expect(await rows.first().textContent()).toContain('web:59')
  await ground.append('web:07', { role: 'user', text: 'And again' })
  await expect.poll(() => rows.first().textContent()).toContain('web:07')
  expect(await rows.first().textContent()).toContain('2 messages')
  await ground.append('new:1', { role: 'user', text: 'A new one' })
  await expect.poll(() => rows.first().textContent()).toContain('new:1')
  expect(trouble).toEqual([])
})

test('a filter finds one whatever its age, and pages lead through all of them', async () => {
  const { page, trouble } = await ground.open('#/sessions')
  await page.getByRole('searchbox', { name: 'Filter by id' }).fill('eb:03')
  await expect.poll(() => page.locator('.session-row').count()).toBe(1)
  expect(await page.locator('.session-row').textContent()).toContain('web:03')
  await page.getByRole('searchbox', { name: 'Filter by id' }).fill('nobody')
  await page.getByText('No session has such an id.').waitFor()
  await page.getByRole('searchbox', { name: 'Filter by id' }).fill('')
  await page.getByRole('combobox', { name: 'Order' }).selectOption('id')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(() => page.locator('.session-row').last().textContent()).toContain('web:59')
  expect(trouble).toEqual([])
})

test('a conversation begins with its first message, and is there in another window at once', async () => {
  const other = await ground.open('')
  const { page, trouble } = await ground.open('')
  await page.getByLabel('Start a conversation').fill('web:中文 / 1')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('its first message creates it').waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill('My dog is called Rex.')
  await page.keyboard.press('Enter')
  await page.locator('.bubble.assistant').getByText('Kept.').waitFor()
  await page.locator('.message-stratum').getByText('My dog is called Rex.').waitFor()
  await expect.poll(() => other.page.locator('.session-row').first().textContent()).toContain('web:中文 / 1')
  expect([...trouble, ...other.trouble]).toEqual([])
})
