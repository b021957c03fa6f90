import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqlite } from '../../packages/palimpsest/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { layGround } from './kit.ts'

test('where keys are needed the page asks for one, and shows its namespace alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-inspector-keys-'))
  const file = join(folder, 'keys.db')
  const store = sqlite(file)
  await store.open()
  const { key, written } = newKey({
    namespace: 'shop',
    name: 'page',
    scopes: ['read', 'write'],
    now: new Date(),
  })
  await store.keys.addKey(key)
  await store.close()
  await using ground = await layGround({ store: sqlite(file) })
  await fetch(`${ground.url}/v1/sessions/web:1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${written}` },
    body: JSON.stringify({ role: 'user', text: 'Hello' }),
  })
  const { page } = await ground.open('')
  await page.getByRole('dialog', { name: 'A key, please' }).waitFor()
  // Whoever closes it is not asked again every few seconds.
  let refusals = 0
  page.on('response', response => {
    if (response.url().endsWith('/v1/events') && response.status() === 401) refusals += 1
  })
  await page.keyboard.press('Escape')
  await expect.poll(() => refusals).toBeGreaterThan(2)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.reload()
  await page.getByLabel('Key', { exact: true }).fill('密钥')
  await page.getByRole('button', { name: 'Use this key' }).click()
  expect(await page.locator('dialog input:invalid').count()).toBe(1)
  await page.getByLabel('Key', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Use this key' }).click()
  await page.getByRole('dialog', { name: 'A key, please' }).waitFor()
  await page.getByLabel('Key', { exact: true }).fill(written)
  await page.getByRole('button', { name: 'Use this key' }).click()
  await page.locator('.session-row').getByText('web:1').waitFor()
  await expect.poll(() => page.locator('.connection').textContent()).toBe('live')
  rmSync(folder, { recursive: true, force: true })
})

test('the settings of a namespace say what the operator of the server leaves to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-inspector-keys-'))
  const file = join(folder, 'keys.db')
  const store = sqlite(file)
  await store.open()
  const written: Record<string, string> = {}
  for (const namespace of ['default', 'shop']) {
    const made = newKey({ namespace, name: namespace, scopes: ['admin'], now: new Date() })
    await store.keys.addKey(made.key)
    written[namespace] = made.written
  }
  await store.close()
  await using ground = await layGround({ store: sqlite(file), environment: { summaryCallsPerHour: 7 } })
  for (const [namespace, isBounded] of [
    ['shop', true],
    ['default', false],
  ] as const) {
    const { page } = await ground.open('#/settings')
    await page.getByLabel('Key', { exact: true }).fill(written[namespace]!)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.locator('#setting-summaryCallsPerHour').waitFor({ state: 'attached' })
    const help = (name: string) => page.locator(`#setting-${name}-help`).textContent()
    const told = [
      [await help('summaryCallsPerHour'), 'allows at most 7: it can be lowered here'],
      [await help('allowedModels'), 'sets this; here it cannot be changed'],
      [await help('modelBaseUrl'), 'sets this, unless a key'],
    ] as const
    for (const [text, words] of told)
      expect([namespace, text?.includes(words)]).toEqual([namespace, isBounded])
  }
  rmSync(folder, { recursive: true, force: true })
})
