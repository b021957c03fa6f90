import { expect, test } from 'vitest'
import { ClosedError, PalimpsestError, SessionNotFoundError } from './errors.ts'

test('an error of another copy of the package is of the class that has its name, and of no other', async () => {
  const again: string = './errors.ts?copy'
  const copy = (await import(again)) as typeof import('./errors.ts')
  expect(copy.SessionNotFoundError).not.toBe(SessionNotFoundError)
  const theirs: unknown = new copy.SessionNotFoundError('chat')
  expect(theirs instanceof SessionNotFoundError).toBe(true)
  expect(theirs instanceof PalimpsestError).toBe(true)
  expect(theirs instanceof ClosedError).toBe(false)
  expect(new Error('SessionNotFoundError') instanceof SessionNotFoundError).toBe(false)
})
