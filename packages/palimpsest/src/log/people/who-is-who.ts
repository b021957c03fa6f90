import { inertId, inertName } from '../inert-name.ts'
import { ROLES, type Role, type Sender } from '../message.ts'
import { oneLine } from '../one-line.ts'
import { headOf } from '../whole-characters.ts'
import { nameKeys } from './name-keys.ts'
import { MAX_PEOPLE, mergePeople, type Person } from './person.ts'

/** A message, as far as it says who speaks. */
export interface Spoken {
  readonly role: Role
  readonly sender: Sender | null
}

/** Whom a text names, and by which of their names. */
export interface KnownSpeaker {
  readonly person: Person
  readonly name: string
}

/** As those are headed who have no name, in every language that the engine writes in. */
const ROLE_KEYS = new Set([...ROLES, '用户', '助手', '系统', '工具'].flatMap(name => nameKeys(name)))

/** As words are headed that were passed on, quoted or answered: `Ann forwarded from Petra`. In every language, too. */
const ORIGIN =
  /(?:^|\s)(?:forwarded from|quoting|answering|link of|转发自|引用|回复|“[^”]*”的链接)(?:\s|$)|\s(?:forwarded|link|转发|链接)$/iu

const MAX_NAME_CHARACTERS = 40
/** What a line of ours reads as a name is no longer than this. */
const MAX_SHOWN_CHARACTERS = 100
const MIN_NAME_CHARACTERS = 8

/**
 * How people are named in what is made of a conversation, given all who are known in it: by name alone where that is
 * clear, with the id where two look alike, where a name has changed, or where it poses as a role or as an id.
 */
export class WhoIsWho {
  /** Each with all names that are known. */
  readonly people: readonly Person[]
  readonly #marked: ReadonlySet<string>
  readonly #byId: ReadonlyMap<string, Person>
  readonly #shown = new Map<string, string>()
  #byName: ReadonlyMap<string, KnownSpeaker | null> | null = null

  /** `marksAll`: it is read where others are not known, too. */
  constructor(people: readonly Person[], { marksAll = false } = {}) {
    this.people = mergePeople(people)
    this.#byId = new Map(this.people.map(person => [person.id, person]))
    this.#marked =
      marksAll || this.people.length >= MAX_PEOPLE ? new Set(this.#byId.keys()) : findMarked(this.people)
  }

  isMarked(id: string): boolean {
    // Who is not known cannot be told from the others.
    return this.#marked.has(id) || !this.#byId.has(id)
  }

  get marked(): readonly Person[] {
    return this.people.filter(({ id }) => this.#marked.has(id))
  }

  byId(id: string): Person | null {
    return this.#byId.get(id) ?? null
  }

  /** Such that it can be read in one way only: no blank stands behind a colon in it, so that it ends where the text begins. */
  nameOf({ sender, role }: Spoken): string {
    if (sender === null) return role
    const { id, name = '' } = sender
    const key = `${role}\n${id}\n${name}`
    let shown = this.#shown.get(key)
    if (shown === undefined) {
      shown = shownName(sender, role, this.isMarked(id))
      this.#shown.set(key, shown)
    }
    return shown
  }

  /** Under one of the names that they have. */
  nameOfPerson({ person, name }: KnownSpeaker): string {
    return this.nameOf({ role: 'user', sender: { id: person.id, name } })
  }

  /** Who stands in a text under a name, marked or alone; `null`: it fits no one, or several. */
  find(shown: string): KnownSpeaker | null {
    this.#byName ??= byName(this.people)
    return this.#byName.get(shown) ?? null
  }
}

/** Everything under which they may stand without a mark. */
export function namesAlone({ id, names }: Person): readonly string[] {
  if (names.length === 0) return [shownName({ id }, 'user', false)]
  return [...new Set(names.map(({ name }) => shownName({ id, name }, 'user', false)))]
}

function shownName({ id, name = '' }: Sender, role: Role, isMarked: boolean): string {
  // Other colons are part of what it is found by.
  const shownId = oneLine(inertId(id).replace(/:(?=\s|$)/g, ' '))
  const given = withoutColons(inertName(name))
  if (given === '' && shownId === '') return role
  if (given === '' || given === shownId) return quoted(clipped(shownId, MAX_SHOWN_CHARACTERS), role)
  if (!isMarked) return quoted(clipped(given, MAX_NAME_CHARACTERS), role)
  const room = MAX_SHOWN_CHARACTERS - 3 - shownId.length
  const most = Math.max(MIN_NAME_CHARACTERS, Math.min(MAX_NAME_CHARACTERS, room))
  return quoted(`${clipped(given, most)} (${shownId})`, role)
}

function withoutColons(name: string): string {
  return oneLine(name.replace(/[:：]/g, ' '))
}

function clipped(name: string, most: number): string {
  return name.length <= most ? name : `${headOf(name, most - 1).trimEnd()}…`
}

/** What poses as another role, or begins as a line of ours does, stands in quotes. */
function quoted(shown: string, role: Role): string {
  const name = shown.replace(/ \([^()]*\)$/, '')
  const poses = name.toLowerCase() !== role && nameKeys(name).some(key => ROLE_KEYS.has(key))
  return poses || ORIGIN.test(name) || /^(?:[#\-*>|=`~]|\d{4}-\d{2}-\d{2} )/.test(shown)
    ? `"${shown}"`
    : shown
}

function findMarked(people: readonly Person[]): ReadonlySet<string> {
  const marked = new Set<string>()
  const owners = new Map<string, string>()
  for (const person of people)
    for (const key of [...keysOf(person).flat(), ...nameKeys(inertId(person.id))]) {
      const owner = owners.get(key) ?? person.id
      owners.set(key, owner)
      if (owner === person.id) continue
      marked.add(owner)
      marked.add(person.id)
    }
  const ids = people.map(({ id }) => ({ id, end: nameKeys(inertId(id))[0] ?? '' }))
  for (const person of people) {
    const ofNames = keysOf(person)
    const keys = ofNames.flat()
    const hasChanged = ofNames.some(ofName => !ofName.some(key => ofNames[0]!.includes(key)))
    const posesAsRole =
      keys.some(key => ROLE_KEYS.has(key)) && !(ROLES as readonly string[]).includes(person.id)
    // `Alex 501` is what the brackets leave of a name that looks like a mark.
    const posesAsOther = ids.some(
      ({ id, end }) => id !== person.id && end.length > 1 && keys.some(key => key.endsWith(end)),
    )
    if (hasChanged || posesAsRole || posesAsOther) marked.add(person.id)
  }
  return marked
}

/** By name. */
function keysOf({ id, names }: Person): readonly (readonly string[])[] {
  return names.map(({ name }) => {
    const alone = shownName({ id, name }, 'user', false)
    return nameKeys(alone)
  })
}

/** What is marked means no one else; a name alone means the only one who had it. */
function byName(people: readonly Person[]): ReadonlyMap<string, KnownSpeaker | null> {
  const marked = new Map<string, KnownSpeaker | null>()
  const alone = new Map<string, KnownSpeaker | null>()
  for (const person of people) {
    const { id } = person
    const names = person.names.length === 0 ? [''] : person.names.map(({ name }) => name)
    for (const name of names)
      for (const [found, isMarked] of [
        [marked, true],
        [alone, false],
      ] as const) {
        const shown = shownName({ id, name }, 'user', isMarked)
        const known = found.get(shown)
        const isSame = known === undefined || known?.person.id === id
        found.set(shown, isSame ? { person, name } : null)
      }
  }
  return new Map([...alone, ...marked])
}
