import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { converse } from './conversation.ts'
import { type Ground, layGround } from './kit.ts'

let ground: Ground
beforeAll(async () => {
  ground = await layGround({ environment: { policy: 'rounds' } })
  await converse(ground, 'chat', 9)
})
afterAll(() => ground[Symbol.asyncDispose]())

/** Tab by tab, until what has the focus says so. */
async function tabTo(page: Page, text: string | RegExp): Promise<void> {
  const seen: string[] = []
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab')
    const focused = String(
      await page.evaluate(
        `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`,
      ),
    )
    if (typeof text === 'string' ? focused === text : text.test(focused)) return
    seen.push(focused)
  }
  throw new Error(`No Tab leads to ${text}: ${seen.join(' | ')}`)
}

test('from the list to what lies under a segment, and to a talk, with the keyboard alone', async () => {
  const { page, trouble } = await ground.open('')
  await page.locator('.session-row').waitFor()
  await tabTo(page, 'Skip to the content')
  await page.keyboard.press('Enter')
  await tabTo(page, /^chat/)
  await page.keyboard.press('Enter')
  await page.locator('.segment-stratum').waitFor()
  await tabTo(page, /^Segment 1level/)
  await page.keyboard.press('Enter')
  await tabTo(page, 'Show what lies under it')
  await page.keyboard.press('Enter')
  await page.locator('.segment-inside .message-stratum').first().waitFor()
  await tabTo(page, 'Message')
  await page.keyboard.type('What about plan-1?')
  await page.keyboard.press('Enter')
  await page.locator('.bubble.user').getByText('What about plan-1?', { exact: true }).waitFor()
  await page.locator('.bubble.assistant').getByText('plan-1').last().waitFor()
  expect(trouble).toEqual([])
})

test('every control has a name', async () => {
  for (const hash of [
    '',
    '#/sessions/chat/strata',
    '#/sessions/chat/context',
    '#/sessions/chat/folds',
    '#/search',
    '#/memory',
    '#/settings',
    '#/erasures',
  ]) {
    const { page } = await ground.open(hash)
    await page.locator('main :is(a, button, input)').first().waitFor()
    const nameless =
      await page.evaluate(`[...document.querySelectorAll(':is(a, button, input, select, textarea, [role=img]):not([aria-hidden])')]
      .filter(each => each.offsetParent !== null || each.tagName === 'svg')
      .filter(each => {
        const label = each.getAttribute('aria-label') || each.getAttribute('aria-labelledby') || each.textContent.trim()
        return !label && !(each.labels?.length > 0)
      }).map(each => each.outerHTML.slice(0, 200))`)
    expect({ hash, nameless }).toEqual({ hash, nameless: [] })
    await page.context().close()
  }
})
