import { afterAll, beforeAll, expect, test } from 'vitest'
import { converse, turns } from './conversation.ts'
import { type Ground, layGround, PHONE } from './kit.ts'

let ground: Ground
beforeAll(async () => {
  ground = await layGround({ environment: { policy: 'rounds' } })
  await converse(ground, 'chat', 12)
})
afterAll(() => ground[Symbol.asyncDispose]())

test('a slow answer comes through, however much happens meanwhile', async () => {
  const { page } = await ground.open('')
  await page.locator('.session-row').first().waitFor()
  await page.route('**/v1/sessions?*', async route => {
    await new Promise(resolve => setTimeout(resolve, 500))
    await route.continue().catch(() => {})
  })
  let isOver = false
  const busy = (async () => {
    for (let count = 0; !isOver && count < 400; count++) {
      await ground.append('busy', { role: 'user', text: `Again ${count}` })
      await new Promise(resolve => setTimeout(resolve, 25))
    }
    return isOver
  })()
  await page.locator('.session-row', { hasText: 'busy' }).waitFor()
  isOver = true
  // It was there while events still came, and not only once they had ended.
  expect(await busy).toBe(true)
})

test('rows keep their places under the pointer', async () => {
  const { page } = await ground.open('')
  await ground.append('under:pointer', { role: 'user', text: 'Hello' })
  const first = page.locator('.session-row').first()
  await expect.poll(() => first.textContent()).toContain('under:pointer')
  await first.hover()
  await ground.append('comes:later', { role: 'user', text: 'Hello' })
  await ground.append('under:pointer', { role: 'user', text: 'Hello' })
  await expect.poll(() => first.textContent()).toContain('2 messages')
  expect(await first.textContent()).toContain('under:pointer')
  await ground.append('comes:later', { role: 'user', text: 'Hello' })
  await page.mouse.move(2, 2)
  await expect.poll(() => first.textContent()).toContain('comes:later')
})

test('what could not be read is read by itself when the server is back', async () => {
  const { page } = await ground.open('#/settings')
  await page.locator('.connection.live').waitFor()
  await page.route('**/v1/**', route => route.abort())
  await page.evaluate(`location.hash = '#/search'; location.reload()`)
  await page.locator('.connection.lost').waitFor()
  await page.evaluate(`location.hash = '#/sessions/chat/strata'`)
  await page.getByRole('alert').first().waitFor()
  await page.unroute('**/v1/**')
  await page.locator('.message-stratum').first().waitFor()
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
})

test('a server that has gone silent is called again', async () => {
  const { page } = await ground.open('#/erasures')
  await page.clock.install()
  let calls = 0
  await page.route('**/v1/events', () => {
    calls += 1
  })
  await page.reload()
  await expect.poll(() => calls).toBe(1)
  await page.clock.fastForward(50_000)
  await page.locator('.connection.lost').waitFor()
  await page.clock.fastForward(1_000)
  await expect.poll(() => calls).toBe(2)
})

test('a conversation that was begun here is there after the page was loaded again', async () => {
  const { page, trouble } = await ground.open('')
  await page.getByLabel('Start a conversation').fill('begun:1')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('its first message creates it').waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill('The gate code is 4711.')
  await page.keyboard.press('Enter')
  await page.locator('.message-stratum').getByText('The gate code is 4711.').waitFor()
  await page.reload()
  await page.locator('.bubble.user').getByText('The gate code is 4711.').waitFor()
  expect(trouble).toEqual([])
})

test('a session that is erased elsewhere is gone here, too', async () => {
  await ground.append('doomed', { role: 'user', text: 'The canary is green-31.' })
  const { page } = await ground.open('#/sessions/doomed')
  await page.clock.install()
  await page.reload()
  await page.locator('.message-stratum').getByText('green-31').waitFor()
  expect(await page.title()).toBe('doomed – Palimpsest')
  await ground.call('DELETE', '/v1/sessions/doomed')
  // No event tells of it: the page looks by itself now and then.
  await page.clock.fastForward(16_000)
  await page.getByText('There is no conversation with this id').waitFor()
  await expect.poll(() => page.getByText('green-31').count()).toBe(0)
})

test('a message that is erased elsewhere goes from under its segment', async () => {
  await converse(ground, 'redacted', 8)
  const { page } = await ground.open('#/sessions/redacted/strata?seq=3')
  const sought = page.locator('.segment-inside .message-stratum.sought')
  await sought.getByText('plan-2').first().waitFor()
  await ground.call('DELETE', '/v1/sessions/redacted/messages/3')
  await expect.poll(() => sought.count()).toBe(0)
})

test('whoever goes on from a message that was sought is not taken back to it', async () => {
  const long = await layGround({
    environment: { policy: 'resize', everyNTurns: 0, maxMessagesTextLength: 0 },
  })
  await using _ = long
  await long.append('long', ...turns(400))
  const { page } = await long.open('#/sessions/long/strata?seq=500')
  const sought = page.locator('.message-stratum.sought')
  await sought.waitFor()
  await expect.poll(async () => (await sought.boundingBox())!.y).toBeLessThan(900)
  const at = Number(await page.evaluate('scrollY'))
  const height = await page.evaluate('document.documentElement.scrollHeight')
  await page.evaluate(`scrollTo(0, ${at + 6_000})`)
  await expect.poll(() => sought.count()).toBe(0)
  // What is taken away leaves its place as high as it was.
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height)
  expect(await page.evaluate('scrollY')).toBe(at + 6_000)
  await page.evaluate(`scrollTo(0, ${at + 1_500})`)
  await sought.waitFor({ state: 'attached' })
  await page.evaluate('new Promise(resolve => setTimeout(resolve, 300))')
  expect((await sought.boundingBox())!.y).toBeLessThan(-500)
})

test('a segment that was opened is open when one comes back to it', async () => {
  await converse(ground, 'kept', 90)
  const { page } = await ground.open('#/sessions/kept')
  const head = page.locator('.segment-head').first()
  await head.click()
  const name = await head.locator('b').textContent()
  const opened = page.locator('.segment-stratum.open', { has: page.locator(`b:text-is("${name}")`) })
  await opened.waitFor()
  await page.setViewportSize({ width: 1280, height: 200 })
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await expect.poll(() => opened.count()).toBe(0)
  await page.evaluate('scrollTo(0, 0)')
  await opened.waitFor({ state: 'attached' })
})

test('a dialog gives the focus back', async () => {
  await ground.call('PUT', '/v1/memory/user/ann', { content: '# Ann\n\n- Likes boats.\n' })
  const { page } = await ground.open('#/memory/user/ann')
  await page.getByRole('button', { name: 'History' }).click()
  const undo = page.getByRole('button', { name: /Undo version/ })
  for (const leave of ['Close', 'Cancel']) {
    await undo.click()
    await page.getByRole('dialog').getByRole('button', { name: leave }).click()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    const hasFocus = () => undo.evaluate(element => element === element.ownerDocument.activeElement)
    await expect.poll(hasFocus).toBe(true)
  }
})

test('the chat shows its end on a narrow screen, too', async () => {
  await ground.append('narrow', ...turns(15))
  const { page } = await ground.open('#/sessions/narrow/strata', { viewport: PHONE })
  await page.locator('.message-stratum').first().waitFor()
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  const newest = page.locator('.bubble').last()
  await newest.waitFor()
  const log = (await page.locator('.chat-messages').boundingBox())!
  expect((await newest.boundingBox())!.y).toBeLessThan(log.y + log.height)
})

test('older messages come above, and what is read stays in its place whatever comes in', async () => {
  await ground.append('reader', ...turns(60))
  const { page, trouble } = await ground.open('#/sessions/reader')
  const log = page.locator('.chat-messages')
  const bubble = (text: string) => log.locator('.bubble', { hasText: text })
  await bubble('Answer 60:').waitFor()
  await log.evaluate(element => element.scrollTo(0, 0))
  const read = bubble('Question 46:')
  await read.waitFor()
  const before = (await read.boundingBox())!.y
  await log.getByRole('button', { name: 'Older messages' }).click()
  await bubble('Question 31:').waitFor({ state: 'attached' })
  expect(Math.abs((await read.boundingBox())!.y - before)).toBeLessThan(60)
  const place = (await read.boundingBox())!.y
  await ground.append('reader', ...turns(40, 61))
  await bubble('Answer 100:').waitFor({ state: 'attached' })
  expect(Math.abs((await read.boundingBox())!.y - place)).toBeLessThan(2)
  // Back at the end, one goes along again.
  await log.evaluate(element => element.scrollTo(0, element.scrollHeight))
  await expect.poll(() => log.locator('.bubble').count()).toBe(30)
  await ground.append('reader', ...turns(1, 101))
  await bubble('Answer 101:').waitFor()
  expect(trouble).toEqual([])
})
