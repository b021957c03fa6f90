/** `node scripts/take-screenshots.ts`: the pictures of README.md and docs/inspector.md, of the example conversations. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { sqlite } from '../packages/palimpsest/src/index.ts'
import { startServer } from '../packages/server/src/index.ts'
import { launchBrowser } from '../test/browser/browser.ts'
import { buildInspector } from './build-inspector.ts'
import { seedExamples } from './seed-examples.ts'

/** A talk that folds with its seventh turn. */
const TURNS: readonly (readonly [string, string])[] = [
  [
    'We are moving the bakery to 14 Mill Lane in October. Rent is 2,350 a month, and the lease runs for five years from the 1st.',
    'Noted: 14 Mill Lane, 2,350 a month, five years from 1 October. Who signs for you?',
  ],
  [
    'My sister Ilse and I, both of us. The landlord is Mr Okafor; his number is +44 7700 900143, and he only answers before nine.',
    'Ilse and you sign; Mr Okafor, +44 7700 900143, before nine.',
  ],
  [
    'The oven is the problem: it weighs 640 kg, and the floor takes 500 per square metre. An engineer comes on 3 September.',
    '640 kg on a floor that takes 500 per square metre; the engineer comes on 3 September. I would ask about a steel plate under it.',
  ],
  ['Good idea. What did I say the rent was?', '2,350 a month.'],
  ['And remind me to cancel the old electricity contract, two months ahead.', 'By the end of July then.'],
  ['What else is open?', 'The floor under the oven, and the electricity contract.'],
  ['Thank you, that is all for today.', 'Good luck with the oven.'],
]

const images = join(dirname(import.meta.dirname), 'docs/images')
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-screenshots-'))
const page = join(folder, 'page')
const file = join(folder, 'examples.db')

mkdirSync(images, { recursive: true })
await buildInspector(page)
await seedExamples(sqlite(file), {
  namespace: 'default',
  onProgress: () => {},
  signal: new AbortController().signal,
})
const server = await startServer({
  store: sqlite(file),
  port: 0,
  inspector: page,
  environment: { policy: 'rounds' },
})
const { browser, close } = await launchBrowser()
try {
  await takeStrata(browser)
  await takeFold(browser)
} finally {
  await close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}

async function takeStrata(browser: Browser): Promise<void> {
  const opened = await open(browser, 'example:nora', { width: 1280, height: 1180 })
  await opened.locator('.segment-stratum').first().waitFor()
  await opened.screenshot({ path: join(images, 'strata.png') })
}

/** Before the seventh turn, and after it: three frames in a row. */
async function takeFold(browser: Browser): Promise<void> {
  const id = 'web:first-talk'
  for (const turn of TURNS.slice(0, 6)) await append(id, turn)
  const opened = await open(browser, id, { width: 700, height: 620 })
  const frames: string[] = []
  const take = async () => frames.push((await opened.screenshot()).toString('base64'))
  await opened.locator('.message-stratum').nth(11).waitFor()
  await take()
  await append(id, TURNS[6]!)
  await opened.locator('.segment-stratum').waitFor()
  await opened.locator('.core .level-1').waitFor()
  await take()
  await opened.locator('.segment-head').click()
  await opened.getByRole('button', { name: 'Show what lies under it' }).click()
  await opened.locator('.segment-inside .message-stratum').first().waitFor()
  await opened.locator('.cursor-line').evaluate(line => line.scrollIntoView({ block: 'start' }))
  await opened.evaluate('scrollBy(0, -70)')
  await take()
  const strip = await browser.newPage({ viewport: { width: 2160, height: 640 } })
  await strip.setContent(
    `<body style="margin:0;display:flex;gap:10px;padding:10px;background:#ddd6c8">${frames
      .map(frame => `<img src="data:image/png;base64,${frame}" style="border-radius:8px">`)
      .join('')}</body>`,
  )
  await strip.screenshot({ path: join(images, 'fold.png') })
}

async function open(
  browser: Browser,
  id: string,
  viewport: { width: number; height: number },
): Promise<Page> {
  const opened = await browser.newPage({ viewport, locale: 'en-US', colorScheme: 'light' })
  await opened.goto(`${server.url}/#/sessions/${encodeURIComponent(id)}/strata`)
  return opened
}

async function append(id: string, [question, answer]: readonly [string, string]): Promise<void> {
  await fetch(`${server.url}/v1/sessions/${encodeURIComponent(id)}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      messages: [
        { role: 'user', text: question, sender: 'Mara' },
        { role: 'assistant', text: answer, sender: { id: 'pal', name: 'Pal', isSelf: true } },
      ],
    }),
  })
}
