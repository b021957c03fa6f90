import { inertName } from '../inert-name.ts'
import type { Sender } from '../message.ts'

/** A speaker in a range of the log, with the names that they had there. */
export interface Person {
  readonly id: string
  /** The names as they are shown. The newest is last. Empty: only the id is known. */
  readonly names: readonly PersonName[]
}

export interface PersonName {
  readonly name: string
  /** `YYYY-MM-DD`: the day when it was first seen. Empty: the day is not known. */
  readonly since: string
}

/**
 * At most this many people are known of a session. If there are more, all are marked with ids, so that no
 * names have to be compared.
 */
export const MAX_PEOPLE = 200
/** The most names of one person: the first one, which older texts may use, and the last ones. */
const MAX_NAMES = 6

/**
 * The speakers of the messages, in the order in which they first spoke. A message without a sender adds no
 * one.
 */
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

/** All people of the lists. The lists follow each other in time. */
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

/** Adds a name as the newest one. A name that is known keeps its first day. */
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

/** Reads people from a file. `null`: the value is no list of people. */
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
