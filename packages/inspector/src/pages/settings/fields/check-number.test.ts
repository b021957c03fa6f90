import { SETTINGS } from 'palimpsest/internals/config/index'
import { expect, test } from 'vitest'
import { sentValue } from '../draft.ts'
import { isNumberAllowed } from './check-number.ts'

const TYPED = [
  '',
  'none',
  '-1',
  '0',
  '0.2',
  '1',
  ' 7 ',
  '4.5',
  '99',
  '4000',
  '7x',
  '1e9',
  '1e400',
  '16777216',
]

test('a number is taken here if the server takes it', () => {
  for (const setting of SETTINGS) {
    if (setting.type === 'string') continue
    for (const text of TYPED) {
      const isTaken = 'value' in setting.read(sentValue(setting, text))
      expect([setting.name, text, isNumberAllowed(setting, text)]).toEqual([setting.name, text, isTaken])
    }
  }
})
