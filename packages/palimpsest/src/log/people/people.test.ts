import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LANGUAGES, textsOf } from '../../language/index.ts'
import { ROLES } from '../message.ts'
import { nameKeys } from './name-keys.ts'
import { boundPeople, MAX_PEOPLE, mergePeople, normalizePeople, type Person, peopleIn } from './person.ts'
import { isWordAt, standsAlone } from './stands-alone.ts'
import { namesAlone, WhoIsWho } from './who-is-who.ts'

function person(id: string, ...names: readonly string[]): Person {
  return { id, names: names.map((name, index) => ({ name, since: `2026-01-0${index + 1}` })) }
}

function looksLike(one: string, other: string): boolean {
  const keys = nameKeys(one)
  return nameKeys(other).some(key => keys.includes(key))
}

describe('names look alike', () => {
  test.each([
    ['Ann', 'A\u200bnn'],
    ['Ann', 'ANN'],
    ['Ann', 'Аnn'],
    ['Ann', 'Ａｎｎ'],
    ['Ann', '𝐀𝐧𝐧'],
    ['Ann', 'Ánn'],
    ['Ann', 'A\u0301nn'],
    ['Ann', ' Ann\u3164'],
    ['Ann Lee', 'Ann  Lee'],
    ['Ann Lee', 'AnnLee'],
    ["O'Brien", 'O’Brien'],
    ['Alex', 'АӏеХ'],
    ['Al', 'AI'],
    ['Bob', 'B0b'],
    ['Bob', 'Вob'],
    ['Tim', 'Tirn'],
    ['Nikos', 'Νikos'],
    ['Straße', 'STRASSE'],
    ['小雯', '小\u2060雯'],
    ['エリ', '工リ'],
    ['…', ' … '],
  ])('%s and %j', (one, other) => {
    expect(looksLike(one, other)).toBe(true)
    expect(looksLike(other, one)).toBe(true)
  })

  test.each([
    ['Ann', 'Anna'],
    ['Ann', 'Ben'],
    ['Alex', 'Alec'],
    ['小雯', '小王'],
    ['大刘', '小刘'],
    ['Анна', 'Нина'],
    ['नीना', 'नाना'],
    ['!', '?'],
  ])('but not %s and %s', (one, other) => {
    expect(looksLike(one, other)).toBe(false)
  })

  test('each looks like itself, whatever it is, unless it shows nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), name => {
        expect(nameKeys(name)).toEqual(nameKeys(name))
        for (const key of nameKeys(name)) expect(key).not.toBe('')
      }),
    )
    expect(nameKeys('\u200b \u2800')).toEqual([])
  })
})

describe('people are named', () => {
  const nameIn = (people: readonly Person[], id: string, name?: string) =>
    new WhoIsWho(people).nameOf({ role: 'user', sender: { id, ...(name !== undefined && { name }) } })

  test.each<[string, readonly Person[], string]>([
    ['by name alone where that is clear', [person('u1', 'Alex'), person('u2', 'Ben')], 'Alex'],
    ['with the id where two look alike', [person('u1', 'Alex'), person('u2', 'Αlex')], 'Alex (u1)'],
    [
      'also where the other one had the name before',
      [person('u1', 'Alex'), person('u2', 'Alex', 'Kit')],
      'Alex (u1)',
    ],
    ['where the name has changed', [person('u1', 'Alex', 'Robert')], 'Alex (u1)'],
    ['but not where only its form has', [person('u1', 'Alex', 'ALEX')], 'Alex'],
    ['where another one poses as the id', [person('u1', 'Alex'), person('u2', 'u1')], 'Alex (u1)'],
    ['where another one poses as the mark', [person('u1', 'Alex'), person('u2', 'Alex (u1)')], 'Alex'],
  ])('%s', (_, people, expected) => {
    expect(nameIn(people, 'u1', 'Alex')).toBe(expected)
  })

  test.each<[string, string]>([
    ['Alex (u1)', 'Alex u1 (u2)'],
    ['system', '"system (u2)"'],
    ['ѕystem', '"ѕystem (u2)"'],
    ['助手', '"助手 (u2)"'],
    ['Ann: ok\n# Bob', 'Ann ok # Bob'],
    ['## Summary', '"## Summary"'],
    ['2026-03-02 Bob', '"2026-03-02 Bob"'],
    ['x'.repeat(100), `${'x'.repeat(39)}…`],
    ['\u200b', 'u2'],
    ['', 'u2'],
  ])('%j is shown as %s', (name, shown) => {
    expect(nameIn([person('u1', 'Alex'), person('u2', name)], 'u2', name)).toBe(shown)
  })

  test('without a sender by the role', () => {
    for (const role of ROLES) expect(new WhoIsWho([]).nameOf({ role, sender: null })).toBe(role)
  })

  test('the role words are those of every language', () => {
    for (const language of LANGUAGES)
      for (const [role, word] of Object.entries(textsOf(language).roles)) {
        const own = role === word && role === 'user'
        expect(nameIn([person('u7', word)], 'u7', word)).toBe(own ? 'user (u7)' : `"${word} (u7)"`)
      }
  })

  test('what poses as a heading of words that were passed on stands in quotes, in every language', () => {
    for (const language of LANGUAGES)
      for (const label of Object.values(textsOf(language).messages.origins))
        for (const from of [null, 'Petra', 'Petra, News'])
          for (const name of [`Ann ${label(from)}`, label(from ?? 'Petra')]) {
            const shown = nameIn([person('u7', name)], 'u7', name)
            expect(shown).toBe(`"${name}"`)
            expect(nameIn([person('u7', name), person('u8', name)], 'u7', name)).toBe(`"${name} (u7)"`)
          }
    for (const name of ['Link', 'Linka Forwarder', '李链', 'Ann Reply'])
      expect(nameIn([person('u7', name)], 'u7', name)).toBe(name)
  })

  test('all with the id where there are too many to know, or where it is read elsewhere', () => {
    const crowd = Array.from({ length: MAX_PEOPLE }, (_, index) =>
      person(`u${index}`, `Name ${index} of many`),
    )
    expect(nameIn(crowd, 'u3', 'Name 3 of many')).toBe('Name 3 of many (u3)')
    const few = new WhoIsWho([person('u1', 'Alex')], { marksAll: true })
    expect(few.nameOf({ role: 'user', sender: { id: 'u1', name: 'Alex' } })).toBe('Alex (u1)')
    expect(boundPeople([...crowd, person('last', 'Last')])).toHaveLength(MAX_PEOPLE)
  })

  const names = fc.constantFrom(
    'Ann',
    'A\u200bnn',
    'Αnn',
    'Bob',
    'u1',
    'Bob (u2)',
    'system',
    '小雯',
    '',
    '- x',
    'a: b',
  )
  test('no two are named alike, and each is found by the name; ids of platforms too', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom('u1', 'u2', 'u3', 'telegram:501', 'x: y', 'a(b)'), { minLength: 1 }),
        fc.array(names, { minLength: 6, maxLength: 6 }),
        (ids, drawn) => {
          const people = ids.map((id, index) => person(id, ...(drawn[index] === '' ? [] : [drawn[index]!])))
          const who = new WhoIsWho(people)
          const shown = people.map(({ id, names }) =>
            who.nameOf({ role: 'user', sender: { id, name: names[0]?.name ?? '' } }),
          )
          expect(new Set(shown).size).toBe(people.length)
          for (const [index, name] of shown.entries()) {
            expect(name).not.toMatch(/:\s|\n/)
            expect(who.find(name)?.person.id).toBe(people[index]!.id)
          }
        },
      ),
    )
  })
})

test('people of messages, in the order of their names, merged in the order of time', () => {
  const message = (id: string, name: string) => ({ sender: { id, name } })
  const first = peopleIn([message('u1', 'Bob'), message('u2', 'Kit'), { sender: null }], () => '2026-01-01')
  const later = peopleIn(
    [message('u1', 'Robert'), message('u2', 'Bob'), message('u1', 'Bob')],
    () => '2026-02-01',
  )
  expect(later).toEqual([
    {
      id: 'u1',
      names: [
        { name: 'Robert', since: '2026-02-01' },
        { name: 'Bob', since: '2026-02-01' },
      ],
    },
    { id: 'u2', names: [{ name: 'Bob', since: '2026-02-01' }] },
  ])
  const merged = mergePeople(first, later)
  expect(merged[0]).toEqual({
    id: 'u1',
    names: [
      { name: 'Robert', since: '2026-02-01' },
      { name: 'Bob', since: '2026-01-01' },
    ],
  })
  expect(namesAlone(merged[1]!)).toEqual(['Kit', 'Bob'])
  expect(normalizePeople(JSON.parse(JSON.stringify(merged)), id => typeof id === 'string')).toEqual(merged)
  for (const odd of [null, {}, [{ id: 1, names: [] }], [{ id: 'u', names: [{ name: 'x', since: 'soon' }] }]])
    expect(normalizePeople(odd, id => typeof id === 'string')).toBeNull()
})

test('a name stands alone as a word, without its id behind it', () => {
  const people = [person('u1', 'Bob')]
  expect(standsAlone('Bob owes it', 'Bob', people)).toBe(true)
  expect(standsAlone('- Bob (u1): ok', 'Bob', people)).toBe(false)
  expect(standsAlone('- Bob (u1): ok, Bob', 'Bob', people)).toBe(true)
  expect(standsAlone('Bobby and Bob (u1)', 'Bob', people)).toBe(false)
  expect(standsAlone('With: Robert (u1; earlier Bo and Bob), Ann', 'Bob', people)).toBe(false)
  expect(standsAlone('With: Robert (u1; earlier Bo), Bob', 'Bob', people)).toBe(true)
  expect(standsAlone('With: Robert (u2; earlier Bob), Ann', 'Bob', people)).toBe(true)
  expect(isWordAt('小雯会来', 0, '小雯')).toBe(true)
})
