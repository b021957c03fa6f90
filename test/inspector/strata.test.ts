import { afterAll, beforeAll, expect, test } from 'vitest'
import { converse, turns } from './conversation.ts'
import { type Ground, layGround } from './kit.ts'

let ground: Ground
beforeAll(async () => {
  ground = await layGround({ environment: { policy: 'rounds' } })
  await converse(ground, 'chat', 130)
})
afterAll(() => ground[Symbol.asyncDispose]())

interface Segments {
  readonly segments: readonly { readonly id: number; readonly level: number }[]
}

test('raw messages lie above the line and segments below it, as the server has them', async () => {
  const { page, trouble } = await ground.open('#/sessions/chat')
  const { segments } = (await ground.call('GET', '/v1/sessions/chat/segments')) as Segments
  expect(Math.max(...segments.map(({ level }) => level))).toBeGreaterThan(1)
  await page.locator('.message-stratum').first().waitFor()
  expect(await page.locator('.core a').count()).toBe(segments.length + 1)
  const line = await page.locator('.cursor-line').boundingBox()
  const newest = await page.locator('.message-stratum').first().boundingBox()
  const segment = await page.locator('.segment-stratum').first().boundingBox()
  expect(newest!.y).toBeLessThan(line!.y)
  expect(segment!.y).toBeGreaterThan(line!.y)
  expect(await page.locator('.segment-head').first().textContent()).toMatch(/Segment \d+level 1\d+ messages/)
  expect(trouble).toEqual([])
})

test('a segment opens level by level, down to what was said', async () => {
  const { page, trouble } = await ground.open('#/sessions/chat')
  const { segments } = (await ground.call('GET', '/v1/sessions/chat/segments')) as Segments
  const { id } = segments.find(({ level }) => level > 1)!
  await page.locator('.core a').last().click()
  const outer = page.locator('.segment-stratum', {
    has: page.locator(`> .segment-head b:text-is("Segment ${id}")`),
  })
  // Its address leads to its first message: it is open all the way down.
  await outer.locator('.message-stratum.sought').first().waitFor()
  expect(await outer.locator('.message-stratum.sought').first().textContent()).toContain('Question 1:')
  expect(await outer.locator('.segment-stratum').count()).toBeGreaterThan(0)
  await outer.locator('> .segment-head').click()
  await expect.poll(() => outer.locator('.message-stratum').count()).toBe(0)
  expect(trouble).toEqual([])
})

test('the address leads to any message, folded or not', async () => {
  for (const seq of [5, 139]) {
    const { page, trouble } = await ground.open(`#/sessions/chat/strata?seq=${seq}`)
    const sought = page.locator('.message-stratum.sought')
    await sought.waitFor()
    expect(await sought.locator('.seq').textContent()).toBe(String(seq))
    await expect.poll(async () => (await sought.boundingBox())!.y).toBeLessThan(900)
    expect((await sought.boundingBox())!.y).toBeGreaterThan(0)
    expect(trouble).toEqual([])
  }
})

test('a fold is seen as it happens', async () => {
  await converse(ground, 'live', 6)
  const { page, trouble } = await ground.open('#/sessions/live')
  await page.locator('.message-stratum').first().waitFor()
  expect(await page.locator('.segment-stratum').count()).toBe(0)
  await ground.append('live', ...turns(1, 7))
  await page.locator('.segment-stratum').waitFor()
  expect(await page.locator('.cursor-line').textContent()).toContain('folded through message 6')
  await expect.poll(() => page.locator('.message-stratum').count()).toBe(8)
  expect(trouble).toEqual([])
})

test('of many messages only those near the screen are there', async () => {
  const long = await layGround({
    environment: { policy: 'resize', everyNTurns: 0, maxMessagesTextLength: 0 },
  })
  await using _ = long
  for (let first = 1; first <= 1_000; first += 500) await long.append('long', ...turns(500, first))
  const { page, trouble } = await long.open('#/sessions/long')
  const rows = page.locator('.message-stratum')
  await rows.first().waitFor()
  expect(await rows.first().locator('.seq').textContent()).toBe('2000')
  await expect.poll(() => rows.count()).toBeLessThan(300)
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await expect
    .poll(async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      return await rows.last().locator('.seq').textContent()
    })
    .toBe('1')
  expect(await rows.count()).toBeLessThan(300)
  expect(trouble).toEqual([])
})
