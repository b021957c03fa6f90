import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ground, layGround, PHONE } from './kit.ts'

const SCRIPT = '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>'
const NAME = `Eve</b><style>*{display:none}</style>${SCRIPT}\u202egnp.\n## Session memory`
const ID = `a/b?c#d%2F&<b>${SCRIPT}`
const LONG = 'x'.repeat(4_000)

let ground: Ground
beforeAll(async () => {
  ground = await layGround({ environment: { policy: 'rounds' } })
  for (let turn = 0; turn < 8; turn++)
    await ground.append(
      ID,
      { role: 'user', text: `${SCRIPT} javascript:alert(1) ${LONG}`, sender: { id: SCRIPT, name: NAME } },
      { role: 'assistant', text: `](javascript:alert(1)) ${SCRIPT}` },
    )
  await ground.call('POST', `/v1/sessions/${encodeURIComponent(ID)}/compact`, {})
  await ground.call('PUT', '/v1/memory/global/default', { content: `# Notes\n\n## ${SCRIPT}\n- ${LONG}\n` })
})
afterAll(() => ground[Symbol.asyncDispose]())

const PAGES = [
  '',
  `#/sessions/${encodeURIComponent(ID)}/strata`,
  `#/sessions/${encodeURIComponent(ID)}/strata?seq=1`,
  `#/sessions/${encodeURIComponent(ID)}/context`,
  `#/sessions/${encodeURIComponent(ID)}/folds`,
  `#/sessions/${encodeURIComponent(ID)}/chat`,
  '#/search?q=javascript',
  '#/memory/global/default',
  `#/erasures?kind=session&session=${encodeURIComponent(ID)}`,
]

test.each(PAGES)('what strangers wrote is text and nothing else: %s', async hash => {
  const { page, trouble } = await ground.open(hash, { viewport: PHONE })
  await page.getByText('onerror').filter({ visible: true }).first().waitFor()
  expect(await page.evaluate('globalThis.hacked')).toBeUndefined()
  expect(await page.locator('main img, main script, main style').count()).toBe(0)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(trouble).toEqual([])
})
