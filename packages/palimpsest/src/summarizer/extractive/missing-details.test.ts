import { expect, test } from 'vitest'
import { missingDetails, says } from './missing-details.ts'
import { runInSlices } from './slices.ts'

test.each([
  ['the code is 4711.', '4711', true],
  ['the code is 47112', '4711', false],
  ['A4711', '4711', false],
  ['in Portofino, not in Porto', 'Porto', true],
  ['in Portofino', 'Porto', false],
  ['航班TP573明天', 'TP573', true],
  ['see https://example.org/a', 'https://example.org/a', true],
])('%j says %j: %j', (text, exact, is) => {
  expect(says(text, exact)).toBe(is)
})

test('finds what a text leaves out, and nothing that it says', async () => {
  const content = 'Flight TP573 lands at 14:35, the booking is QX81-77B, see https://example.org/menu/42.'
  const message = { role: 'user', sender: { id: 'a', name: 'Ann' }, at: new Date(0), zone: null } as const
  const work = missingDetails([{ seq: 1, content, ...message }], {
    zone: 'UTC',
    said: 'Ann lands with TP573 at 14:35.',
    limit: Number.POSITIVE_INFINITY,
  })
  const details = (await runInSlices(work)).join('\n')
  expect(details).toContain('QX81-77B')
  expect(details).toContain('https://example.org/menu/42')
  expect(details).not.toContain('TP573')
})

test('what is told as a whole is told once, however many exact things it holds', async () => {
  const message = { role: 'user', sender: { id: 'a', name: 'Ann' }, at: new Date(0), zone: null } as const
  const said = [
    'I will not pay 640 euros to Hanssen or 70 euros to QX81.',
    'Checkin code 7741#',
    'typo, it is 7714#',
  ]
  const work = missingDetails(
    said.map((content, index) => ({ seq: index + 1, content, ...message })),
    { zone: 'UTC', said: '', limit: Number.POSITIVE_INFINITY },
  )
  const details = await runInSlices(work)
  expect(details.join('\n')).toContain('7714#')
  expect(details.join('\n')).toContain('I will not pay 640 euros')
  expect(new Set(details).size).toBe(details.length)
})
