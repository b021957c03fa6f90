import { SETTINGS } from 'palimpsest/internals/config/index'
import { expect, test } from 'vitest'
import { choicesOf, mayBeNone } from './choices.ts'

test('the settings that take a few words are those that the schema says', () => {
  const found = SETTINGS.flatMap(({ name, allowed }) => {
    const choices = choicesOf(allowed)
    return choices === null ? [] : [[name, choices.join(' ')]]
  })
  expect(Object.fromEntries(found)).toEqual({
    policy: 'resize count rounds window tokens',
    boundary: 'message turn',
    turnUnit: 'message reply',
    extract: 'turn batch off none',
    scopeLearnsFrom: 'shared all',
    ownerSharesIn: 'private groups',
    queue: 'on off',
    redact: 'secrets off',
    trustProxy: 'on off',
  })
})

test('those that may be left empty take none', () => {
  for (const { name, allowed, read, reach } of SETTINGS) {
    if (reach === 'start') continue

    const none = read('none')
    expect([name, mayBeNone(allowed)]).toEqual([name, 'value' in none && none.value === null])
  }
})
