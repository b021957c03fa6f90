import { expect, test } from 'vitest'
import { checkStore } from './check-store.ts'
import { postgres } from './postgres/index.ts'
import { sqlite } from './sqlite/index.ts'

const refused = (value: unknown): { message: string; details: object } => {
  try {
    checkStore(value)
  } catch (error) {
    return error as { message: string; details: object }
  }
  throw new Error('It was taken.')
}

test('a store is taken', () => {
  checkStore(sqlite(':memory:'))
  checkStore(postgres('postgres://127.0.0.1/x'))
})

test('what is given in its place is named, and no password of it', () => {
  for (const value of [
    'postgres://ann:secret@127.0.0.1/x',
    { options: { connectionString: 'postgres://ann:secret@127.0.0.1/x' } },
  ])
    expect(JSON.stringify([refused(value).message, refused(value).details])).not.toContain('secret')
  expect(refused('postgres://ann:secret@127.0.0.1/x').message).toContain('postgres://…@127.0.0.1/x')
})

test('a store whose methods are not in ports is refused, and so is a driver', () => {
  const flat = { name: 'older', open() {}, close() {}, append() {} }
  expect(refused(flat).message).toContain('an object with name, open, close, append')
  expect(refused(flat).message).toContain('sqlStore(driver)')
  expect(refused(undefined).message).toContain('store: nothing is given')
})

test.each([undefined, null, 5])('postgres(%s) says what may be given', where => {
  expect(() => postgres(where as never)).toThrow(/postgres:.* allowed: .*postgres:\/\/.*pool/)
})
