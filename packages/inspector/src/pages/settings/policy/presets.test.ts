import { findSetting } from 'palimpsest/internals/config/index'
import { PRESETS as OF_THE_ENGINE } from 'palimpsest/internals/policy/index'
import { expect, test } from 'vitest'
import { defaultFor, MAIN_NUMBERS, PRESETS } from './presets.ts'

test('the presets are those of the engine, with its defaults', () => {
  expect([...PRESETS].sort()).toEqual(Object.keys(OF_THE_ENGINE).sort())
  for (const preset of PRESETS) {
    const parameters = Object.entries(OF_THE_ENGINE[preset])
    expect(parameters.map(([name]) => name)).toEqual(expect.arrayContaining([...MAIN_NUMBERS[preset]]))
    for (const [name, parameter] of parameters)
      expect([preset, name, defaultFor(preset, findSetting(name)!)]).toEqual([
        preset,
        name,
        parameter.default,
      ])
  }
})
