import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { converse } from './conversation.ts'
import { type Ground, layGround } from './kit.ts'

let ground: Ground
beforeAll(async () => {
  ground = await layGround({ environment: { policy: 'rounds' } })
  await converse(ground, 'chat', 12)
  await ground.call('PUT', '/v1/memory/global/default', {
    content: '# Memory\n\n## Firm\n- We sell boats.\n',
  })
})
afterAll(() => ground[Symbol.asyncDispose]())

/** What each page shows once it is there. */
const PAGES = [
  { hash: '', shows: '.session-row' },
  { hash: '#/sessions/chat/strata', shows: '.segment-stratum' },
  { hash: '#/sessions/chat/context', shows: '.view h2' },
  { hash: '#/sessions/chat/folds', shows: '.view canvas' },
  { hash: '#/sessions/chat/chat', shows: '.bubble' },
  { hash: '#/search?q=harbour', shows: 'mark' },
  { hash: '#/memory/global/default', shows: 'text=We sell boats.' },
  { hash: '#/settings', shows: '[role=img]' },
  { hash: '#/erasures', shows: 'form' },
]

describe.each([400, 720, 1080, 1600])('at %i pixels', width => {
  test('nothing sticks out, in both languages, light and dark', async () => {
    for (const locale of ['en-US', 'zh-CN'])
      for (const { hash, shows } of PAGES) {
        const { page, trouble } = await ground.open(hash, {
          viewport: { width, height: 900 },
          colorScheme: locale === 'zh-CN' ? 'dark' : 'light',
          locale,
        })
        await page.locator(shows).first().waitFor({ state: 'attached' })
        const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect({ hash, locale, over }).toEqual({ hash, locale, over: expect.toSatisfy(value => value <= 0) })
        expect({ hash, locale, trouble }).toEqual({ hash, locale, trouble: [] })
        await page.context().close()
      }
  })
})

test('every page speaks Chinese, and no English is left over', async () => {
  for (const { hash, shows } of PAGES) {
    const { page } = await ground.open(hash, { locale: 'zh-CN' })
    await page.locator(shows).first().waitFor({ state: 'attached' })
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    const headings = await page.locator('main :is(h1, h2, h3, th, label, button)').allTextContents()
    const english = headings.filter(text => /[a-z]{4,}/.test(text) && !/[\u4e00-\u9fff]/.test(text))
    // Names are names: of sessions, documents, settings, presets, and what was said.
    expect({ hash, english: english.filter(text => !ENGLISH_NAMES.test(text)) }).toEqual({
      hash,
      english: [],
    })
    await page.context().close()
  }
})

const ENGLISH_NAMES =
  /^(chat|MEMORY\.md|Memory|Firm|English|[a-z]+[A-Z]\w*|tokens|rounds|window|count|resize|model|zone|language|extract)$/

test('the language is switched by a button, and stays', async () => {
  const { page } = await ground.open('', { locale: 'en-US' })
  await page.getByRole('button', { name: '中文' }).click()
  await page.getByRole('heading', { name: '会话' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: '会话' }).waitFor()
})
