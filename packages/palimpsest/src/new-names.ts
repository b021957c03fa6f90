import { legendsOf, type Meaning, renderMeanings } from './context/index.ts'
import { type Language, textsOf } from './language/index.ts'
import { type Message, mergePeople, type Person, peopleIn, type Segment } from './log/index.ts'
import { estimateTokens } from './tokens/index.ts'

/** What was read of a session for its contexts. */
interface Read {
  readonly segments: readonly (Pick<Segment, 'text' | 'people'> & { readonly legend?: readonly Meaning[] })[]
  /** All messages above this `seq` are raw. */
  readonly rawAfter: number
  /** The list only grows. */
  readonly messages: readonly Message[]
}

interface Heard {
  /** How many of the messages were looked at. */
  count: number
  people: readonly Person[]
  told: {
    readonly of: readonly Person[]
    readonly instructions: string
    readonly meanings: readonly Meaning[]
  } | null
}

/** For the frame of the lines, when they stand alone at the volatile end. */
const FRAME_TOKENS = 20

/**
 * Names that became unclear after the segments were made, because of raw messages. The raw messages bear ids.
 * But a name that stands alone in segments or in memory could now be taken for the newcomer's. The lines tell
 * whom it means. They stand at the volatile end, so that no earlier byte changes.
 */
export class NewNames {
  /** Every context asks for the lines. So only the new part of each list is looked at. */
  readonly #heard = new WeakMap<readonly Message[], Heard>()

  /** `null`: all names are clear, or there is no room for the lines. */
  lines(
    read: Read,
    { language, instructions, mostTokens }: { language: Language; instructions: string; mostTokens: number },
  ): readonly string[] | null {
    if (!read.segments.some(({ people }) => people)) return null
    const meanings = this.#meanings(read, instructions)
    if (meanings.length === 0) return null
    const line = textsOf(language).people.above(renderMeanings(meanings, language))
    return estimateTokens(line) + FRAME_TOKENS <= mostTokens ? [line] : null
  }

  #meanings(read: Read, instructions: string): readonly Meaning[] {
    const heard = this.#hear(read)
    const { told, people } = heard
    if (told?.of === people && told.instructions === instructions) return told.meanings
    const meanings = newMeanings(read, people, instructions)
    heard.told = { of: people, instructions, meanings }
    return meanings
  }

  #hear({ messages, rawAfter }: Read): Heard {
    const heard = this.#heard.get(messages) ?? { count: 0, people: [], told: null }
    this.#heard.set(messages, heard)
    for (; heard.count < messages.length; heard.count++) {
      const message = messages[heard.count]!
      if (message.seq > rawAfter && isNew(message, heard.people))
        heard.people = mergePeople(
          heard.people,
          peopleIn([message], () => ''),
        )
    }
    return heard
  }
}

function isNew({ sender }: Message, people: readonly Person[]): boolean {
  if (sender === null) return false
  const [spoken] = peopleIn([{ sender }], () => '')
  const known = people.find(({ id }) => id === sender.id)
  return known === undefined || spoken!.names.some(({ name }) => known.names.at(-1)?.name !== name)
}

/** The meanings that the segments do not tell themselves. */
function newMeanings(
  { segments }: Read,
  people: readonly Person[],
  instructions: string,
): readonly Meaning[] {
  const said = new Set(segments.flatMap(({ legend = [] }) => legend).map(each => JSON.stringify(each)))
  const found = new Map<string, Meaning>()
  for (const meaning of legendsOf([...segments, { text: instructions }], people).flat()) {
    const key = JSON.stringify(meaning)
    if (!said.has(key)) found.set(key, meaning)
  }
  return [...found.values()]
}
