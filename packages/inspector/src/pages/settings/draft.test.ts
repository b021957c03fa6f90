import { expect, test } from 'vitest'
import type { SettingDescription } from '../../api/types.ts'
import { changesOf, replayRequest, sentChanges, sentValue, slipsOf, withEdit, withoutSaved } from './draft.ts'
import { textOf } from './draft-text.ts'
import { presetAfterSaving } from './policy/presets.ts'

function setting(name: string, given: Partial<SettingDescription> = {}): SettingDescription {
  return {
    name,
    type: 'integer',
    default: 4,
    allowed: 'a whole number of at least 1',
    help: '',
    namespace: 'free',
    reach: 'request',
    environment: '',
    ...given,
  }
}

const schema = [
  setting('policy', { type: 'string' }),
  setting('fullContextTurns', { presets: ['rounds'] }),
  setting('cachedContextTurns', { presets: ['rounds'] }),
  setting('budget', { presets: ['rounds', 'tokens'], allowed: 'a whole number of at least 1, or none' }),
]

test('an edit is gone when one goes back to what is in force, and keeps what it began with', () => {
  const first = withEdit({}, { name: 'fullContextTurns', text: '5', current: '4' })
  expect(first).toEqual({ fullContextTurns: { text: '5', base: '4' } })
  // Somebody else saved 9 meanwhile.
  const second = withEdit(first, { name: 'fullContextTurns', text: '56', current: '9' })
  expect(second).toEqual({ fullContextTurns: { text: '56', base: '4' } })
  expect(withEdit(second, { name: 'fullContextTurns', text: '9', current: '9' })).toEqual({})
})

test('what is typed is sent as the server takes it, and what it cannot take as it is', () => {
  expect(sentValue(setting('a'), ' 7 ')).toBe(7)
  expect(sentValue(setting('a'), '7x')).toBe('7x')
  expect(sentValue(setting('a'), '')).toBe('')
  expect(sentValue(setting('a', { allowed: 'a whole number, or 0 or none for off' }), ' ')).toBe('none')
  expect(sentValue(setting('a', { type: 'string' }), '7')).toBe('7')
})

test('only what was edited is changed; null takes one away', () => {
  const draft = { fullContextTurns: { text: '6', base: '4' }, budget: { text: null, base: '8000' } }
  expect(changesOf(draft, schema)).toEqual({ fullContextTurns: 6, budget: null })
})

test('what was typed while saving is kept', () => {
  const sent = { budget: { text: '1', base: '' }, policy: { text: 'rounds', base: 'tokens' } }
  const now = { ...sent, budget: { text: '12', base: '' } }
  expect(withoutSaved(now, sent)).toEqual({ budget: { text: '12', base: '' } })
})

test('a preset is replayed with its own numbers as they would be saved', () => {
  const answer = {
    settings: { policy: 'tokens', fullContextTurns: 6, cachedContextTurns: 3, budget: null },
    sources: {
      policy: 'default',
      fullContextTurns: 'stored',
      cachedContextTurns: 'default',
      budget: 'stored',
    },
    schema,
  }
  expect(replayRequest('rounds', answer, {})).toEqual({
    policy: 'rounds',
    fullContextTurns: 6,
    budget: 'none',
  })
  const draft = {
    fullContextTurns: { text: null, base: '6' },
    cachedContextTurns: { text: '8', base: '3' },
  }
  expect(replayRequest('rounds', answer, draft)).toEqual({
    policy: 'rounds',
    fullContextTurns: 4,
    cachedContextTurns: 8,
    budget: 'none',
  })
  expect(replayRequest('tokens', answer, draft)).toEqual({ policy: 'tokens', budget: 'none' })
})

test('a preset is not replayed while one of its numbers cannot be taken', () => {
  const answer = { settings: {}, sources: {}, schema }
  const draft = { fullContextTurns: { text: '0', base: '4' } }
  expect(slipsOf(draft, schema)).toEqual({ fullContextTurns: 'a whole number of at least 1' })
  expect(replayRequest('rounds', answer, draft)).toBe(null)
  expect(replayRequest('tokens', answer, draft)).not.toBe(null)
})

test('values as text', () => {
  expect([null, true, 4, ['a', 'b'], 'x'].map(textOf)).toEqual(['', '', '4', 'a, b', 'x'])
})

const withCount = [
  setting('policy', { type: 'string', default: 'tokens' }),
  ...schema.slice(1),
  setting('threshold', { presets: ['count'] }),
]
const edited = (text: string | null) => ({ text, base: '' })

test('numbers choose their preset where none is named, as on the server', () => {
  const answer = {
    settings: { policy: 'tokens' },
    sources: { policy: 'default' } as Record<string, string>,
    schema: withCount,
  }
  expect(presetAfterSaving(answer, {})).toBe('tokens')
  expect(presetAfterSaving(answer, { fullContextTurns: edited('2') })).toBe('rounds')
  expect(presetAfterSaving(answer, { budget: edited('900') })).toBe('tokens')
  expect(presetAfterSaving(answer, { fullContextTurns: edited('2'), policy: edited('count') })).toBe('count')
  const named = {
    ...answer,
    settings: { policy: 'count' },
    sources: { policy: 'stored', fullContextTurns: 'stored' },
  }
  expect(presetAfterSaving(named, {})).toBe('count')
  expect(presetAfterSaving(named, { policy: edited(null) })).toBe('rounds')
  const chosen = { ...named, settings: { policy: 'rounds' }, policyChosenBy: ['fullContextTurns'] }
  expect(presetAfterSaving(chosen, {})).toBe('rounds')
  expect(presetAfterSaving(chosen, { fullContextTurns: edited(null) })).toBe('tokens')
})

test('what is shown as the preset is what is saved', () => {
  const answer = {
    settings: { policy: 'tokens' },
    sources: { policy: 'default' } as Record<string, string>,
    schema: withCount,
  }
  const turns = { fullContextTurns: edited('2') }
  expect(sentChanges(answer, turns, 'rounds')).toEqual({ fullContextTurns: 2 })
  // Typed at another card, and then left.
  expect(sentChanges(answer, turns, 'tokens')).toEqual({ fullContextTurns: 2, policy: 'tokens' })
  const both = { ...turns, threshold: edited('9') }
  expect(sentChanges(answer, both, 'count')).toEqual({ fullContextTurns: 2, threshold: 9, policy: 'count' })
  expect(sentChanges(answer, { budget: edited('900') }, 'tokens')).toEqual({ budget: 900 })
})
