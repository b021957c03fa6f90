import { inertName } from '../inert-name.ts'
import type { Sender } from '../message.ts'

/** One who spoke in a range of the log, under the names that they had there. */
export interface Person {
  readonly id: string
  /** As they are shown, the one that they had last being the last; none: only the id is known. */
  readonly names: readonly PersonName[]
}

export interface PersonName {
  readonly name: string
  /** `YYYY-MM-DD`: when it was first seen; empty: that is not known. */
  readonly since: string
}

/** So many people are known of a session. Where there are more, all are marked, so that no name has to be compared. */
export const MAX_PEOPLE = 200
/** Of one person: the first, under which older texts may name them, and the last ones. */
const MAX_NAMES = 6

/** Those who speak in messages, in the order in which they came up; a name without a person behind it is none. */
export function peopleIn<M extends { readonly sender: Sender | null }>(
  messages: readonly M[],
  dayOf: (message: M) => string,
): readonly Person[] {
  const people = new Map<string, PersonName[]>()
  for (const message of messages) {
    const { sender } = message
    if (sender === null) continue
    const names = people.get(sender.id) ?? []
    people.set(sender.id, names)
    const name = inertName(sender.name ?? '')
    if (name === '' || names.at(-1)?.name === name) continue
    addName(names, { name, since: dayOf(message) })
  }
  return [...people].map(([id, names]) => ({ id, names: boundNames(names) }))
}

/** All who are in any of the lists, which follow each other in time. */
export function mergePeople(...lists: readonly (readonly Person[])[]): readonly Person[] {
  const people = new Map<string, PersonName[]>()
  for (const { id, names } of lists.flat()) {
    const known = people.get(id) ?? []
    people.set(id, known)
    for (const name of names) addName(known, name)
  }
  return [...people].map(([id, names]) => ({ id, names: boundNames(names) }))
}

export function boundPeople(people: readonly Person[]): readonly Person[] {
  return people.length <= MAX_PEOPLE ? people : people.slice(0, MAX_PEOPLE)
}

/** As the newest; where it was there already, since then. */
function addName(names: PersonName[], { name, since }: PersonName): void {
  const place = names.findIndex(each => each.name === name)
  const earlier = place < 0 ? null : names.splice(place, 1)[0]!
  const days = [since, earlier?.since ?? ''].filter(day => day !== '').sort()
  names.push({ name, since: days[0] ?? '' })
}

function boundNames(names: readonly PersonName[]): readonly PersonName[] {
  return names.length <= MAX_NAMES ? names : [names[0]!, ...names.slice(1 - MAX_NAMES)]
}

const DAY = /^(?:\d{4}-\d{2}-\d{2})?$/

/** From a file; `null`: that is no list of people. */
export function normalizePeople(value: unknown, isId: (id: unknown) => boolean): readonly Person[] | null {
  if (!Array.isArray(value)) return null
  const people: Person[] = []
  for (const person of value) {
    const { id, names } = (person ?? {}) as { id?: unknown; names?: unknown }
    if (!isId(id) || !Array.isArray(names) || !names.every(isName)) return null
    people.push({
      id: id as string,
      names: names.map(({ name, since }) => ({ name: inertName(name), since })),
    })
  }
  return boundPeople(mergePeople(people))
}

function isName(value: unknown): value is PersonName {
  const { name, since } = (value ?? {}) as { name?: unknown; since?: unknown }
  return typeof name === 'string' && typeof since === 'string' && DAY.test(since)
}
