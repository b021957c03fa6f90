import { inertId, inertName } from '../inert-name.ts'
import { ROLES, type Role, type Sender } from '../message.ts'
import { oneLine } from '../one-line.ts'
import { headOf } from '../whole-characters.ts'
import { nameKeys } from './name-keys.ts'
import { MAX_PEOPLE, mergePeople, type Person } from './person.ts'

/** The fields of a message that tell who speaks. */
export interface Spoken {
  readonly role: Role
  readonly sender: Sender | null
}

/** A person whom a text names, and the name that it uses. */
export interface KnownSpeaker {
  readonly person: Person
  readonly name: string
}

/** The headings of messages without a sender, in every language that the engine writes in. */
const ROLE_KEYS = new Set([...ROLES, '用户', '助手', '系统', '工具'].flatMap(name => nameKeys(name)))

/**
 * Headings of words that were passed on, quoted or answered: `Ann forwarded from Petra`. In every language,
 * too.
 */
const ORIGIN =
  /(?:^|\s)(?:forwarded from|quoting|answering|link of|转发自|引用|回复|“[^”]*”的链接)(?:\s|$)|\s(?:forwarded|link|转发|链接)$/iu

const MAX_NAME_CHARACTERS = 40
/** No name in a line of ours is longer than this. */
const MAX_SHOWN_CHARACTERS = 100
const MIN_NAME_CHARACTERS = 8

/**
 * How people are named in texts that are made from a conversation. A clear name stands alone. The id is added
 * if two names look alike, if a person's name has changed, or if a name poses as a role or an id.
 */
export class WhoIsWho {
  /** Each person with all known names. */
  readonly people: readonly Person[]
  readonly #marked: ReadonlySet<string>
  readonly #byId: ReadonlyMap<string, Person>
  readonly #shown = new Map<string, string>()
  #byName: ReadonlyMap<string, KnownSpeaker | null> | null = null

  /** `marksAll`: the text is also read where other people are unknown, so all names get ids. */
  constructor(people: readonly Person[], { marksAll = false } = {}) {
    this.people = mergePeople(people)
    this.#byId = new Map(this.people.map(person => [person.id, person]))
    this.#marked =
      marksAll || this.people.length >= MAX_PEOPLE ? new Set(this.#byId.keys()) : findMarked(this.people)
  }

  isMarked(id: string): boolean {
    // An unknown person cannot be told from the others.
    return this.#marked.has(id) || !this.#byId.has(id)
  }

  get marked(): readonly Person[] {
    return this.people.filter(({ id }) => this.#marked.has(id))
  }

  byId(id: string): Person | null {
    return this.#byId.get(id) ?? null
  }

  /**
   * The name as it is shown. It can be read in one way only: no space follows a colon in it, so it clearly
   * ends where the text begins.
   */
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

  /** The shown name of a person, for one of the names that they have. */
  nameOfPerson({ person, name }: KnownSpeaker): string {
    return this.nameOf({ role: 'user', sender: { id: person.id, name } })
  }

  /**
   * The person whom a text shows under this name, with or without an id. `null`: it fits no one, or several.
   */
  find(shown: string): KnownSpeaker | null {
    this.#byName ??= byName(this.people)
    return this.#byName.get(shown) ?? null
  }
}

/** All names under which the person may stand without an id. */
export function namesAlone({ id, names }: Person): readonly string[] {
  if (names.length === 0) return [shownName({ id }, 'user', false)]
  return [...new Set(names.map(({ name }) => shownName({ id, name }, 'user', false)))]
}

function shownName({ id, name = '' }: Sender, role: Role, isMarked: boolean): string {
  // Other colons are part of the id by which the person is found.
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

/** A name stands in quotes if it poses as another role, or begins like a line of ours. */
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
    // If a name looks like a mark, `Alex 501` is what remains of it without the brackets.
    const posesAsOther = ids.some(
      ({ id, end }) => id !== person.id && end.length > 1 && keys.some(key => key.endsWith(end)),
    )
    if (hasChanged || posesAsRole || posesAsOther) marked.add(person.id)
  }
  return marked
}

/** The keys of each name. */
function keysOf({ id, names }: Person): readonly (readonly string[])[] {
  return names.map(({ name }) => {
    const alone = shownName({ id, name }, 'user', false)
    return nameKeys(alone)
  })
}

/** A name with an id means that person. A name alone means its only owner. */
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
