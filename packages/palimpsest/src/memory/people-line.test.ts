import { expect, test } from 'vitest'
import type { Person } from '../log/index.ts'
import { listedPeople, listPeople, withPeopleListed } from './people-line.ts'

function person(id: string, ...names: readonly string[]): Person {
  return { id, names: names.map(name => ({ name, since: '' })) }
}

const documentOf = (list: string) =>
  `# Chat memory\n\n## Basic information\n- Kind: group\n- With: ${list}\n\n## History\n`

test('two people are two in the list, however their ids are written there', () => {
  const long = 'x'.repeat(80)
  const people = [
    person(`${long}1`, 'Ann'),
    person(`${long}2`, 'Ann'),
    person('a,b', 'Ben'),
    person('a;b', 'Ben'),
    person('a b', 'Ben'),
    person('a\u200bb', 'Ben'),
    person('503', 'Kit'),
    person('Kit', '503'),
  ]
  const content = documentOf(listPeople(people, 'en')!)
  expect(listedPeople(content)).toHaveLength(people.length)
  expect(withPeopleListed(content, people)).toBe(content)
})

test('of the names of one person the first and the newest are listed', () => {
  let content = documentOf('Ann (u1)')
  for (let n = 0; n < 40; n++) content = withPeopleListed(content, [person('u1', `Name ${n}`)])
  expect(content).toContain(
    '- With: Name 39 (u1; earlier Name 38 and Name 37 and Name 36 and Name 35 and Ann)\n',
  )
})
