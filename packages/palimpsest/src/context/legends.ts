import { type Language, textsOf } from '../language/index.ts'
import { mergePeople, nameKeys, namesAlone, type Person, standsAlone, WhoIsWho } from '../log/index.ts'

/** A name that stands alone in a text, and the people that it can mean there. */
export interface Meaning {
  readonly name: string
  /** Several people where the text does not tell which one. */
  readonly people: readonly {
    readonly shown: string
    /** The name that they have now, where it differs; `null`: it does not. */
    readonly now: string | null
    /** `YYYY-MM-DD`: the day on which they first had the name. */
    readonly since: string
  }[]
}

interface Told {
  readonly text: string
  readonly people?: readonly Person[] | null
}

/**
 * For each segment, oldest first: whom the lone names in it mean, where today's knowledge leaves that
 * unclear. The names were clear when the segment was written. `alsoKnown`: people who have spoken since.
 */
export function legendsOf(
  segments: readonly Told[],
  alsoKnown: readonly Person[] = [],
): readonly (readonly Meaning[])[] {
  const who = new WhoIsWho(mergePeople(...segments.map(({ people }) => people ?? []), alsoKnown))
  const { marked } = who
  if (marked.length === 0) return segments.map(() => [])
  const names = new Set(marked.flatMap(namesAlone))
  /** The names that each person had before the segment. */
  const called = new Map<string, readonly string[]>()
  return segments.map(({ text, people }) => {
    const inside = people ?? []
    const ids = new Set(inside.map(({ id }) => id))
    for (const person of inside) called.set(person.id, namesAlone(person))
    const meanings: Meaning[] = []
    for (const name of names) {
      if (!text.includes(name)) continue
      const keys = nameKeys(name)
      const meant = marked.filter(({ id }) => {
        const had = called.get(id) ?? []
        // A speaker who says "Ann" among the people present may also mean one whose name only looks like it.
        return ids.has(id) ? had.some(each => isAlike(each, keys)) : had.at(-1) === name
      })
      const shown = meant.map(person => shownAs(person, name, who))
      if (isClear(name, shown, marked)) continue
      if (shown.length > 0 && standsAlone(text, name, marked)) meanings.push({ name, people: shown })
    }
    // A person who is absent from the next segments keeps the last name.
    for (const person of inside) called.set(person.id, namesAlone(person).slice(-1))
    return meanings
  })
}

/** Only one person has this name or one that looks like it, and still has it. */
function isClear(name: string, [only, ...others]: Meaning['people'], marked: readonly Person[]): boolean {
  if (only === undefined || others.length > 0 || only.now !== null) return false
  const keys = nameKeys(name)
  return marked.filter(person => namesAlone(person).some(each => isAlike(each, keys))).length === 1
}

function isAlike(name: string, keys: readonly string[]): boolean {
  return nameKeys(name).some(key => keys.includes(key))
}

function shownAs(person: Person, name: string, who: WhoIsWho): Meaning['people'][number] {
  const keys = nameKeys(name)
  const ownNames = person.names.map(each => ({ each, alone: namesAlone({ ...person, names: [each] })[0]! }))
  const had = (
    ownNames.find(({ alone }) => alone === name) ?? ownNames.find(({ alone }) => isAlike(alone, keys))
  )?.each
  const now = namesAlone(person).at(-1)!
  return {
    shown: who.nameOfPerson({ person, name: had?.name ?? '' }),
    now: isAlike(now, keys) ? null : now,
    since: had?.since ?? '',
  }
}

export function renderMeanings(meanings: readonly Meaning[], language: Language): readonly string[] {
  const texts = textsOf(language).people
  return meanings.map(({ name, people }) => {
    // The day on which each person got the name tells which of them an older line means.
    const tells = new Set(people.map(({ since }) => since)).size > 1
    return texts.means(
      name,
      people.map(({ shown, now, since }) =>
        texts.person({ shown, now, since: tells && since !== '' ? since : null }),
      ),
    )
  })
}

/** One line, placed under the text that it explains. */
export function renderLegend(meanings: readonly Meaning[], language: Language): string {
  return textsOf(language).people.here(renderMeanings(meanings, language))
}
