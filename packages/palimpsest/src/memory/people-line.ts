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

/** More are not listed: nobody reads them. */
const MAX_LISTED = 30
/** Of one person: the newest, and the first, under which older texts may name them. */
const MAX_EARLIER = 5
const MORE = '…'

/** One who is listed, as `Robert (503; earlier Bob)`. */
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

/** Everyone with the id that they go by and the names that they had before, for a document that begins. */
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

/** Commas between brackets part the names of one person. */
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

/** Who is known from the line in which a chat memory lists them: it outlives the segments. */
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
 * The document with those people in its list, each under the name that they have now. What else stands there stays: it may
 * have been written by hand. A document without the line is left without it.
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

/** By id; a name alone, from before there were ids, is of the only one who had it. */
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

/** For what looks at the words of a saying: an id is none of them. */
export function withoutMark(saying: string): string {
  return saying.replace(/^([^()\n]{1,60}) \([^()\n]{1,100}\)/, '$1')
}

/** A saying that begins with its speaker's name alone, where that has to stand with the id by now. */
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
