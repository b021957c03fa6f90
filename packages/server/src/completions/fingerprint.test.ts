import type { Content, ContentPart } from 'palimpsest/internals/log/index'
import { describe, expect, test } from 'vitest'
import { isSame, Prints, type Said } from './fingerprint.ts'

const prints = new Prints()
const same = (ours: Said, theirs: Said) => isSame(prints.of(ours), prints.of(theirs))
const user = (content: Content, sender?: string): Said => ({ role: 'user', content, sender: sender ?? null })
const reply = (content: Content): Said => ({ role: 'assistant', content })
const call = (toolCallId: string, input: unknown, toolName = 'look'): ContentPart => ({
  ...{ type: 'tool-call', toolCallId, toolName, input },
})
const result = (toolCallId: string, output: unknown): Said => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, output }],
})
const picture = (image: string): ContentPart => ({ type: 'image', image })
const broken = (text: string) => reply([{ type: 'text', text, interrupted: 'aborted' }])

describe('the same', () => {
  test.each<[string, Said, Said]>([
    ['white space of a user', user('Is it\n far?'), user('Is it far? ')],
    ['how a letter is put together', user('caf\u00e9'), user('cafe\u0301')],
    ['and in replies', reply('Caf\u00e9.'), reply('Cafe\u0301.')],
    ['marks of bold and lists', reply('**One**\n- two\n- `three`'), reply('One\ntwo three')],
    ['thoughts in the text', reply('<think>hm\nwell</think>\nYes.'), reply('Yes.')],
    [
      'thoughts in other tags',
      reply('<thinking>hm</thinking><details type="reasoning" done="true">hm\nwell</details>\nYes.'),
      reply('Yes.'),
    ],
    [
      'thoughts beside it',
      reply([
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'Yes.' },
      ]),
      reply('Yes'),
    ],
    ['signs alone', reply('👍'), reply(' 👍')],
    ['the ids of calls', reply([call('a', { q: 1, r: 2 })]), reply([call('b', { r: 2, q: 1 })])],
    ['their order', reply([call('a', 1), call('b', 2)]), reply([call('x', 2), call('y', 1)])],
    ['arguments that are none', reply([call('a', {})]), reply([call('a', '')])],
    ['the ids of results', result('a', 'found'), result('b', ' found')],
    ['how results are wrapped', result('a', { type: 'text', value: 'found' }), result('a', 'found')],
    [
      'the address of a picture',
      user([picture('https://a.org/1?s=2')]),
      user([picture('https://a.org/1?s=3')]),
    ],
    ['a sender whom one side names', user('Hi', 'ann'), user('Hi')],
    ['a reply that broke off, and less of it', broken('One two three'), reply('One **two')],
    ['and more of it', broken('One two'), reply('One two three')],
  ])('%s', (_, ours, theirs) => {
    expect(same(ours, theirs)).toBe(true)
  })
})

describe('another', () => {
  test.each<[string, Said, Said]>([
    ['words of a user', user('Is it far?'), user('Is it near?')],
    ['signs of a user', user('far?'), user('far')],
    ['words of a reply', reply('Yes.'), reply('No.')],
    ['signs alone', reply('👍'), reply('👎')],
    ['role', user('Hi'), reply('Hi')],
    ['sender', user('Hi', 'ann'), user('Hi', 'bob')],
    ['tool', reply([call('a', {})]), reply([call('a', {}, 'find')])],
    ['argument', reply([call('a', { q: 1 })]), reply([call('a', { q: 2 })])],
    ['result', result('a', 'found'), result('a', 'lost')],
    ['number of pictures', user([picture('x')]), user([picture('x'), picture('x')])],
    ['end of a reply that is whole', reply('One two three'), reply('One two')],
    ['beginning of one that broke off', broken('One two'), reply('Two')],
    ['than one that broke off before its first word', broken(''), reply('Two')],
    ['than what says nothing', reply([{ type: 'reasoning', text: 'hm' }]), reply([])],
  ])('%s', (_, ours, theirs) => {
    expect(same(ours, theirs)).toBe(false)
  })
})

test('a long text is the same with other line breaks, wherever it is cut', () => {
  for (const length of [32_700, 32_760, 32_768, 70_000]) {
    const text = `${'word\n'.repeat(length / 5)}end`
    expect(
      same({ role: 'user', content: text }, { role: 'user', content: text.replaceAll('\n', '\r\n') }),
    ).toBe(true)
    expect(same({ role: 'user', content: text }, { role: 'user', content: `${text}s` })).toBe(false)
  }
})
