import { normalizeText } from './normalize-text.ts'
import { indexOfWhole } from './occurs-in.ts'
import { STOP_WORDS } from './stop-words.ts'
import { visitTerms } from './terms.ts'

/** A single letter is no name. Nor is a first name of two letters in a longer name. */
const SHORTEST_NAME = 2
const SHORTEST_FIRST_NAME = 3

/** The spellings of each name. A list of names never changes once it is made. */
const spellingsOfLists = new WeakMap<readonly string[], readonly (readonly string[])[]>()

export interface NamedSpeakers {
  /** The places of the speakers in the list of names. */
  readonly places: ReadonlySet<number>
  /** The terms in their names. */
  readonly terms: ReadonlySet<string>
}

/** The speakers whom a normalised query names, by the whole name or the first name. */
export function namedSpeakers(query: string, names: readonly string[]): NamedSpeakers {
  const places = new Set<number>()
  const terms = new Set<string>()
  for (const [place, spellings] of spellingsOfAll(names).entries()) {
    const found = spellings.find(spelling => indexOfWhole(query, spelling) >= 0)
    if (found === undefined) continue
    places.add(place)
    visitTerms(found, term => terms.add(term))
  }
  return { places, terms }
}

function spellingsOfAll(names: readonly string[]): readonly (readonly string[])[] {
  const kept = spellingsOfLists.get(names)
  if (kept?.length === names.length) return kept
  const made = names.map(spellingsOf)
  spellingsOfLists.set(names, made)
  return made
}

function spellingsOf(name: string): readonly string[] {
  const whole = normalizeText(name).replace(/\s+/g, ' ').trim()
  const [first = ''] = whole.split(' ')
  return [
    ...(whole.length >= SHORTEST_NAME ? [whole] : []),
    ...(first !== whole && first.length >= SHORTEST_FIRST_NAME ? [first] : []),
  ].filter(spelling => !STOP_WORDS.has(spelling))
}
