import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { sqlite } from '../packages/palimpsest/src/index.ts'
import { startServer } from '../packages/server/src/index.ts'
import { buildInspector } from '../scripts/build-inspector.ts'
import { launchBrowser } from '../test/browser/browser.ts'
import type { Benchmark, Figure } from './benchmark.ts'
import { SESSION } from './fixtures.ts'
import { median } from './measure.ts'

const SCREENS = 60

/** The page in a real browser, with a session of 100,000 messages, all of them raw, and among 10,000 sessions. */
export const inspector: Benchmark = {
  name: 'inspector',
  async run({ quick, fixtures, progress }) {
    const folder = join(fixtures.folder, 'inspector')
    await buildInspector(folder)
    const [messages, sessions, rounds] = quick ? [10_000, 1_000, 2] : [100_000, 10_000, 5]
    const file = await fixtures.withMessages(messages)
    const server = await startServer({
      store: sqlite(file),
      port: 0,
      inspector: folder,
      environment: NO_FOLDS,
      // Of what was filled in a moment ago nothing is indexed yet: that is measured elsewhere.
      instances: { indexing: 'off' },
    })
    const chromium = await launchBrowser()
    try {
      progress(`inspector: ${sessions} sessions`)
      await addSessions(server.url, sessions)
      progress(`inspector: a session of ${messages} messages`)
      const strata: number[] = []
      const list: number[] = []
      const longest: number[] = []
      for (let round = 0; round < rounds; round++) {
        const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 } })
        const page = await context.newPage()
        await page.addInitScript(NOTE_LONG_TASKS)
        await page.goto(`${server.url}/#/sessions/${SESSION}/strata`)
        await page.locator('.message-stratum').first().waitFor()
        strata.push(await page.evaluate('performance.now()'))
        longest.push(await scrollThrough(page))
        await context.close()
        const other = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 } })
        const listPage = await other.newPage()
        await listPage.goto(`${server.url}/#/sessions`)
        await listPage.locator('.session-row').first().waitFor()
        list.push(await listPage.evaluate('performance.now()'))
        await other.close()
      }
      return {
        figures: [
          ms(`first view of ${messages} messages`, median(strata), 1_000),
          ms('longest task while scrolling through them', Math.max(...longest), 100),
          ms(`first view of ${sessions} sessions`, median(list), 1_000),
          {
            name: 'the page, compressed',
            value: compressedBytes(folder),
            unit: 'bytes',
            aim: { atMost: 100_000 },
          },
        ],
      }
    } finally {
      await chromium.close()
      await server.close()
    }
  },
}

/** Every rule of this preset is off. */
const NO_FOLDS = { policy: 'resize', everyNTurns: 0, maxMessagesTextLength: 0 }

/** In the browser, so as text. */
const NOTE_LONG_TASKS = `
  var longTasks = []
  new PerformanceObserver(list => {
    for (const { duration } of list.getEntries()) longTasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })`
const NEXT_FRAME = 'new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 0)))'

/** Screen by screen for a while, then to the end and back in leaps, as with the scroll bar. */
async function scrollThrough(page: Page): Promise<number> {
  await page.evaluate('longTasks = []')
  for (let screen = 0; screen < SCREENS; screen++) {
    await page.mouse.wheel(0, 900)
    await page.evaluate(NEXT_FRAME)
  }
  for (const share of [0.25, 0.5, 0.9, 1, 0.4, 0]) {
    await page.evaluate(`scrollTo(0, ${share} * document.documentElement.scrollHeight)`)
    await page.locator('.message-stratum').first().waitFor()
    await page.evaluate(NEXT_FRAME)
  }
  return await page.evaluate('Math.max(0, ...longTasks)')
}

async function addSessions(url: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `web:${index}`)
  const append = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop())
      await fetch(`${url}/v1/sessions/${encodeURIComponent(id)}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ role: 'user', text: `Hello from ${id}` }),
      }).then(response => response.arrayBuffer())
  }
  await Promise.all(Array.from({ length: 20 }, append))
}

function ms(name: string, value: number, atMost: number): Figure {
  return { name, value, unit: 'ms', aim: { atMost } }
}

function compressedBytes(folder: string): number {
  return globSync('**/*.*', { cwd: folder })
    .map(name => brotliCompressSync(readFileSync(join(folder, name))).length)
    .reduce((sum, size) => sum + size, 0)
}
