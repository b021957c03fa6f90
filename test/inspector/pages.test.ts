import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { converse, turns } from './conversation.ts'
import { type Ground, layGround } from './kit.ts'

let ground: Ground
beforeAll(async () => {
  ground = await layGround({ environment: { policy: 'rounds' } })
  await converse(ground, 'chat', 10)
})
afterAll(() => ground[Symbol.asyncDispose]())

describe('the context', () => {
  test('is what the next call would get, block by block, for any budget', async () => {
    const { page, trouble } = await ground.open('#/sessions/chat/context')
    const { report } = (await ground.call('POST', '/v1/sessions/chat/context', { notes: false })) as {
      report: { tokens: number; blocks: { name: string }[] }
    }
    await page.getByText(report.tokens.toLocaleString('en')).first().waitFor()
    for (const name of ['Session memory', 'Raw messages']) await page.getByText(name).first().waitFor()
    await page.getByText('The prompt cache holds up to here').waitFor()
    await page.getByText('Raw messages').first().click()
    await page.locator('details[open]').getByText('plan-9').first().waitFor()
    await page.getByLabel('Budget in tokens').fill('700')
    await page.keyboard.press('Enter')
    await page.getByText('of 700 tokens').waitFor()
    expect(trouble).toEqual([])
  })

  test('that does not fit is an error with the numbers, and the form stays', async () => {
    const { page } = await ground.open('#/sessions/chat/context')
    await page.getByLabel('Budget in tokens').fill('5')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText(/\b5\b/).waitFor()
    expect(await page.getByLabel('Budget in tokens').inputValue()).toBe('5')
  })

  test('says where the cache broke once a fold has come between', async () => {
    await converse(ground, 'breaking', 6)
    const { page, trouble } = await ground.open('#/sessions/breaking/context')
    await page.getByText('This is the first one shown here').waitFor()
    await ground.append('breaking', ...turns(1, 7))
    await page
      .getByText(/oldest B (were|are) folded/)
      .first()
      .waitFor()
    expect(trouble).toEqual([])
  })
})

describe('folds', () => {
  test('are drawn and listed, newest first, and one can be asked for', async () => {
    const { page, trouble } = await ground.open('#/sessions/chat/folds')
    await page.locator('.view canvas').waitFor()
    await page.getByRole('link', { name: '1–6' }).waitFor()
    await page.getByRole('button', { name: 'Fold now' }).click()
    await page.getByRole('status').filter({ hasText: /fold/i }).first().waitFor()
    await page.getByRole('link', { name: '1–6' }).click()
    await page.locator('.message-stratum.sought').waitFor()
    expect(trouble).toEqual([])
  })

  test('that a limit kept from asking the model say so', async () => {
    await using model = await startModelServer({ reply: 'They spoke of plans, of which all are fine.' })
    const limited = { policy: 'rounds', modelApiKey: 'test', modelBaseUrl: `${model.url}/v1` } as const
    await using spending = await layGround({
      environment: { ...limited, model: 'openai-compatible:scripted', summaryCallsPerHour: 1 },
    })
    // The third is for the hour that ends between the others.
    const sessions = ['first', 'second', 'third']
    const isLimited = async (session: string) => {
      await spending.append(session, ...turns(40))
      const fold = await spending.call('POST', `/v1/sessions/${session}/compact`, { force: true })
      return (fold as { spendGuard?: unknown }).spendGuard !== undefined
    }
    while (sessions.length > 0 && !(await isLimited(sessions[0]!))) sessions.shift()
    const { page, trouble } = await spending.open(`#/sessions/${sessions[0]}/folds`)
    await page.getByText('limit reached: 1 of 1 calls an hour were made').first().waitFor()
    expect(trouble).toEqual([])
  })
})

describe('search', () => {
  test('finds as one types, marks the words, and leads to the message in its stratum', async () => {
    const { page, trouble } = await ground.open('#/search')
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('plan-3')
    await page.locator('mark').first().waitFor()
    expect(await page.locator('mark').allTextContents()).toContain('plan')
    await page.locator(`a[href*="seq="]`).first().click()
    await page.locator('.message-stratum.sought').waitFor()
    expect(await page.locator('.message-stratum.sought').textContent()).toContain('plan-3')
    await page.goBack()
    await page.locator('mark').first().waitFor()
    expect(trouble).toEqual([])
  })
})

describe('memory', () => {
  test('is written, seen by others at once, shown with its history, and taken back', async () => {
    const other = await ground.open('#/memory/global/default')
    const { page, trouble } = await ground.open('#/memory/global/default')
    await page.getByRole('button', { name: 'Write it' }).click()
    await page.getByRole('textbox', { name: /Markdown/ }).fill('# Memory\n\n## Firm\n- We sell boats.\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('We sell boats.').waitFor()
    await other.page.getByText('We sell boats.').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: /Markdown/ }).fill('# Memory\n\n## Firm\n- We sell cars.\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await other.page.getByText('We sell cars.').waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('button', { name: /Undo/ }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: /Undo/ }).click()
    await other.page.getByText('We sell boats.').waitFor()
    expect([...trouble, ...other.trouble]).toEqual([])
  })
})

describe('erasure', () => {
  test('asks to be sure, shows its receipt, and nothing is left to be seen', async () => {
    await ground.append('secret', { role: 'user', text: 'The canary is yellow-7781.' })
    const { page, trouble } = await ground.open('#/erasures?kind=session&session=secret')
    const erase = page.getByRole('button', { name: 'Erase this session for good' })
    await page.getByText('The whole session goes').waitFor()
    expect(await erase.isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: /type the session/ }).fill('secret')
    await erase.click()
    await expect.poll(() => page.url()).toMatch(/#\/erasures\/\d+/)
    await page
      .getByText(/done|erased/i)
      .first()
      .waitFor()
    const { results } = (await ground.call('GET', '/v1/search?q=yellow-7781')) as { results: unknown[] }
    expect(results).toEqual([])
    expect(trouble).toEqual([])
  })
})
