import { LANGUAGES, type Language, textsOf } from '../language/index.ts'
import {
  isMarkedAt,
  isWordAt,
  listedId,
  listedName,
  mergePeople,
  namesAlone,
  type Person,
  type WhoIsWho,
} from '../log/index.ts'
import { ALL_HEADINGS, findHeading, inertLine, readSection, replaceLines } from './document/index.ts'

/** More people are not listed, since a longer list helps no reader. */
const MAX_LISTED = 30
/** The most names of one person: the newest ones, and the first one, which older texts may use. */
const MAX_EARLIER = 5
const MORE = '…'

/** A listed person, such as `Robert (503; earlier Bob)`. */
interface Listed {
  readonly id: string
  readonly name: string
  readonly earlier: readonly string[]
}

function toListed({ id, names }: Person): Listed {
  const [name = '', ...earlier] = [
    ...new Set(names.map(each => listedName(each.name)).filter(Boolean)),
  ].reverse()
  return { id: listedId(id), name, earlier }
}

function entryOf({ id, name, earlier }: Listed, language: Language): string {
  if (name === '' || name === id) return id
  const names =
    earlier.length <= MAX_EARLIER ? earlier : [...earlier.slice(0, MAX_EARLIER - 1), earlier.at(-1)!]
  const also = names.length === 0 ? '' : `; ${textsOf(language).people.earlier(names)}`
  return `${name} (${id}${also})`
}

/** Lists people with their ids and earlier names, for a new document. */
export function listPeople(people: readonly Person[], language: Language): string | null {
  const entries = people.slice(0, MAX_LISTED).map(person => entryOf(toListed(person), language))
  if (entries.length === 0) return null
  return [...entries, ...(people.length > MAX_LISTED ? [MORE] : [])].join(', ')
}

const LABELS = LANGUAGES.map(language => textsOf(language).documents.chat.labels.with)
const ENTRY = /^(.*\S) \(([^();]+)(?:; ([^()]*))?\)$/u

interface PeopleLine {
  readonly line: string
  readonly label: string
  readonly entries: readonly string[]
}

function findLine(content: string): PeopleLine | null {
  const basics = findHeading(content, ALL_HEADINGS.chat.basics)
  const lines = basics === null ? [] : (readSection(content, basics) ?? '').split('\n')
  for (const line of lines)
    for (const label of LABELS) {
      const start = `- ${label}: `
      if (line.startsWith(start)) return { line, label, entries: entriesOf(line.slice(start.length)) }
    }
  return null
}

/** Commas inside brackets separate the names of one person. */
function entriesOf(list: string): readonly string[] {
  return (list.match(/(?:[^,(]|\([^)]*\)?)+/gu) ?? [])
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
}

function readEntry(entry: string): Listed | null {
  const [, name, id, also = ''] = ENTRY.exec(entry) ?? []
  if (name === undefined || id === undefined) return null
  const prefix = LANGUAGES.map(language => textsOf(language).people.earlier(['\0']).split('\0')[0]!).find(
    each => also.startsWith(each),
  )
  const earlier = prefix === undefined ? [] : also.slice(prefix.length).split(/ and |、/)
  return { id, name, earlier }
}

/** The people in the list of a chat memory. This list outlives the segments. */
export function listedPeople(content: string): readonly Person[] {
  const people = (findLine(content)?.entries ?? []).flatMap(entry => {
    const listed = readEntry(entry)
    if (listed === null) return []
    const names = [...listed.earlier.toReversed(), listed.name].map(name => ({ name, since: '' }))
    return [{ id: listed.id, names }]
  })
  return mergePeople(people)
}

/**
 * Adds people to the document's list, each under their present name. Other entries stay, since a person may
 * have written them by hand. A document without the list stays as it is.
 */
export function withPeopleListed(content: string, people: readonly Person[]): string {
  const found = findLine(content)
  if (found === null || people.length === 0) return content
  const { line, label, entries } = found
  const language = LANGUAGES.find(each => textsOf(each).documents.chat.labels.with === label)!
  const listed = [...entries.filter(entry => entry !== MORE)]
  let isMore = entries.length > listed.length
  for (const person of people) {
    const now = toListed(person)
    const place = placeOf(listed, now, people)
    if (place < 0 && listed.length >= MAX_LISTED) {
      isMore = true
      continue
    }
    const before = place < 0 ? null : readEntry(listed[place]!)
    const names = before === null ? [] : [before.name, ...before.earlier]
    const earlier = [...new Set([...now.earlier, ...names])].filter(name => name !== now.name)
    const entry = entryOf({ ...now, earlier }, language)
    if (place < 0) listed.push(entry)
    else listed[place] = entry
  }
  const written = `- ${label}: ${inertLine([...listed, ...(isMore ? [MORE] : [])].join(', '))}`
  return written === line ? content : (replaceLines(content, { lines: [line], by: [written] }) ?? content)
}

/**
 * Finds an entry by id. An entry from before there were ids is only a name. It counts if only one person has
 * had that name.
 */
function placeOf(
  entries: readonly string[],
  { id, name, earlier }: Listed,
  people: readonly Person[],
): number {
  const place = entries.findIndex(entry => entry === id || readEntry(entry)?.id === id)
  if (place >= 0) return place
  const isNamed = (entry: string) => entry === name || earlier.includes(entry)
  const isOthers = (entry: string) =>
    people.some(person => {
      const other = toListed(person)
      return other.id !== id && (other.name === entry || other.earlier.includes(entry))
    })
  return entries.findIndex(entry => isNamed(entry) && !isOthers(entry))
}

/** Removes the id behind a speaker's name, for code that looks at the words only. */
export function withoutMark(saying: string): string {
  return saying.replace(/^([^()\n]{1,60}) \([^()\n]{1,100}\)/, '$1')
}

/** Adds the id to the speaker's name at the head of a saying, if the name alone is no longer clear. */
export function withSpeakerMarked(saying: string, person: Person | null, who: WhoIsWho): string {
  if (person === null || !who.isMarked(person.id)) return saying
  for (const known of person.names) {
    const [alone = ''] = namesAlone({ id: person.id, names: [known] })
    if (alone === '' || !saying.startsWith(alone) || !isWordAt(saying, 0, alone)) continue
    if (isMarkedAt(saying, alone.length, person)) return saying
    return who.nameOfPerson({ person, name: known.name }) + saying.slice(alone.length)
  }
  return saying
}
