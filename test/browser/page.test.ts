import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Comparison } from '../../packages/replay/src/comparison.ts'
import { comparisonPage } from '../../packages/replay/src/report/page.ts'
import { launchBrowser, type TestBrowser } from './browser.ts'
import { exampleComparison } from './example-comparison.ts'

const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }

let chromium: TestBrowser
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-page-'))
  chromium = await launchBrowser()
})

afterAll(async () => {
  await chromium?.close()
  await rm(folder, { recursive: true, force: true })
})

interface OpenPage {
  readonly page: Page
  /** What the page said or asked for that it should not have. */
  readonly trouble: readonly string[]
}

async function open(options: BrowserContextOptions, comparison = exampleComparison()): Promise<OpenPage> {
  const file = join(folder, 'page.html')
  await writeFile(file, comparisonPage(comparison))
  const address = pathToFileURL(file).href
  const page = await chromium.browser.newPage(options)
  const trouble: string[] = []
  page.on('console', message => trouble.push(message.text()))
  page.on('pageerror', error => trouble.push(String(error)))
  page.on('request', request => {
    if (request.url() !== address) trouble.push(request.url())
  })
  await page.goto(address)
  return { page, trouble }
}

test('the page says the answer and shows its pictures, without a request', async () => {
  const { page, trouble } = await open({ viewport: DESKTOP })
  expect(await page.locator('h1').textContent()).toMatch(/would have been cheapest: \$[\d.]+, \d+% less/)
  expect(await page.locator('h1').isVisible()).toBe(true)
  const count = (selector: string) => page.locator(selector).filter({ visible: true }).count()
  expect(await count('.row')).toBe(7)
  expect(await count('.row .share')).toBeGreaterThanOrEqual(7 * 3)
  expect(await count('.break')).toBe(1)
  expect(await count('.panels svg')).toBe(7)
  expect(await count('.lines .line')).toBe(7)
  expect(await count('.flat')).toBe(1)
  expect(await count('.best')).toBe(1)
  await page.locator('summary').first().click()
  expect(await page.locator('details table').first().isVisible()).toBe(true)
  expect(trouble).toEqual([])
  await page.close()
})

test('every picture has a name for those who cannot see it', async () => {
  const { page } = await open({ viewport: DESKTOP })
  const pictures = await page.getByRole('img').all()
  // Seven bars, seven contexts, the money over time and the swept values.
  expect(pictures).toHaveLength(16)
  for (const drawn of pictures) expect(await drawn.ariaSnapshot()).toMatch(/img "\S+/)
  await page.close()
})

test.each([PHONE, DESKTOP, { width: 720, height: 900 }, { width: 721, height: 900 }])(
  'nothing sticks out at $width pixels',
  async viewport => {
    for (const comparison of [exampleComparison('one'), exampleComparison('two'), manyLongNames()]) {
      const { page } = await open({ viewport }, comparison)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      expect(await page.evaluate(OVERHANGS)).toEqual([])
      expect(await page.evaluate(OVERLAPS)).toEqual([])
      await page.close()
    }
  },
)

function manyLongNames(): Comparison {
  const example = exampleComparison('none')
  const [policies, baselines] = [example.runs.slice(0, 5), example.runs.slice(5)]
  const longer = policies.map((run, index) => ({
    ...run,
    name: `${run.policy} fullContextTurns=${index} cachedContextTurns=12 budget=32000`,
  }))
  return { ...example, runs: [...policies, ...longer, ...baselines] }
}

/** Names of bars that run into their amounts. */
const OVERLAPS = `[...document.querySelectorAll('.row')]
  .map(row => [...row.querySelectorAll('.name, .amount')].map(text => text.getBoundingClientRect()))
  .filter(boxes => boxes[0].width > 0 && boxes[0].right > boxes.at(-1).left && boxes[0].bottom > boxes.at(-1).top)
  .map(boxes => boxes.map(box => [box.left, box.right]))`

/** Letters of a picture that begin or end outside of it: our widths are estimates, the browser knows. */
const OVERHANGS = `[...document.querySelectorAll('svg, .row, .share, .map td')].flatMap(picture => {
  const frame = picture.getBoundingClientRect()
  return [...picture.querySelectorAll('text, span')]
    .filter(text => text.getClientRects().length > 0)
    .map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([, box]) => box.left < frame.left - 8 || box.right > frame.right + 12)
    .map(([text]) => text)
})`

test('dark is dark, light is light, and both can be read', async () => {
  for (const colorScheme of ['dark', 'light'] as const) {
    const { page } = await open({ viewport: DESKTOP, colorScheme })
    expect(await page.evaluate(LOWEST_CONTRAST), colorScheme).toBeGreaterThan(4.5)
    const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(paper).toBe(colorScheme === 'dark' ? 'rgb(19, 22, 27)' : 'rgb(255, 255, 255)')
    await page.close()
  }
})

/** Of all visible letters that stand right on the paper. */
const LOWEST_CONTRAST = `(() => {
  const light = color => {
    const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map(value => value / 255)
      .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const paper = light(getComputedStyle(document.body).backgroundColor)
  const colors = [...document.querySelectorAll('p, li, th, td, dt, dd, h1, h2, h3, small, summary, .name, .amount, text')]
    .map(element => getComputedStyle(element)[element.tagName === 'text' ? 'fill' : 'color'])
  return Math.min(...colors.map(light).map(ink => (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)))
})()`

test('paper is light even where the screen is dark', async () => {
  const { page } = await open({ viewport: DESKTOP, colorScheme: 'dark' })
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
  await page.close()
})

test('a screenshot can be taken', async () => {
  const { page } = await open({ viewport: PHONE, deviceScaleFactor: 2 })
  const path = join(folder, 'page.png')
  await page.screenshot({ path, fullPage: true })
  expect((await stat(path)).size).toBeGreaterThan(50_000)
  await page.close()
})
