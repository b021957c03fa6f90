import { all, type Steps } from '../sql/steps.ts'

/**
 * In a compact database a text that would make its row spill over into a page of its own stands in a table of parts
 * (migration 18). Four parts of the greatest size fill a page, so that little of it stays empty whatever the size.
 */

/** Added to the `format` of a row whose text is in parts. */
export const IN_PARTS = 4

const MAX_OCTETS_OF_PART = 1_000
/** A longer text is one part: of the pages that it fills by itself the last one matters little. */
const MAX_OCTETS_IN_PARTS = 16_000

/** Where a text is: `FIRST COUNT OCTETS` in its row. */
interface Place {
  readonly first: number
  readonly count: number
  readonly octets: number
}

/** Stores the text, and answers with the mark for its row. */
export function* keepInParts(text: string, octets: number): Steps<string> {
  const parts = cutEvenly(text, octets)
  const rows = yield* all<{ id: number }>(insertion(parts.length), ...parts)
  const first = Math.min(...rows.map(({ id }) => id))
  return `${first} ${parts.length} ${octets}`
}

function insertion(parts: number): string {
  const values = Array.from({ length: parts }, (_, place) => `(${place === 0 ? '0' : 'NULL'}, ?${place + 1})`)
  return `INSERT INTO text_parts (holders, content) VALUES ${values.join(', ')} RETURNING id`
}

/** No character is cut in two. */
function cutEvenly(text: string, octets: number): readonly string[] {
  const count = octets > MAX_OCTETS_IN_PARTS ? 1 : Math.ceil(octets / MAX_OCTETS_OF_PART)
  if (count <= 1) return [text]
  const size = Math.ceil(octets / count)
  if (octets === text.length)
    return Array.from({ length: count }, (_, place) => text.slice(place * size, (place + 1) * size))
  const bytes = Buffer.from(text)
  const cuts = Array.from({ length: count + 1 }, (_, place) => characterAt(bytes, place * size))
  return Array.from({ length: count }, (_, place) => bytes.toString('utf8', cuts[place], cuts[place + 1]))
}

/** Where the character begins that has this octet. */
function characterAt(bytes: Buffer, at: number): number {
  let start = Math.min(at, bytes.length)
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start -= 1
  return start
}

/** The texts that these marks stand for, by mark. */
export function* readParts(marks: readonly string[]): Steps<ReadonlyMap<string, string>> {
  const places = new Map(marks.map(mark => [mark, parseMark(mark)]))
  const parts = new Map<number, string>()
  for (const { id, content } of yield* readRuns(runsOf([...places.values()]))) parts.set(id, content)
  const texts = new Map<string, string>()
  for (const [mark, place] of places) texts.set(mark, joined(parts, place))
  return texts
}

function parseMark(mark: string): Place {
  const [first, count, octets] = mark.split(' ').map(Number)
  return { first: first!, count: count!, octets: octets! }
}

/** In SQL. */
export function octetsInMark(mark: string): string {
  const afterFirst = `substr(${mark}, instr(${mark}, ' ') + 1)`
  return `CAST(substr(${afterFirst}, instr(${afterFirst}, ' ') + 1) AS INTEGER)`
}

function joined(parts: ReadonlyMap<number, string>, { first, count, octets }: Place): string {
  let text = ''
  for (let id = first; id < first + count; id++) text += parts.get(id) ?? ''
  // A lost page: what is not there, or not all there, cannot be read as if it were.
  if (Buffer.byteLength(text) !== octets) throw new SyntaxError('a text whose parts are not there')
  return text
}

interface Run {
  readonly from: number
  readonly through: number
}

/** Parts that follow one another are read at a stretch. So are those of messages that came one after the other. */
function runsOf(places: readonly Place[]): readonly Run[] {
  const runs: { from: number; through: number }[] = []
  for (const { first, count } of places.toSorted((one, other) => one.first - other.first)) {
    const last = runs.at(-1)
    if (last !== undefined && first <= last.through + 1)
      last.through = Math.max(last.through, first + count - 1)
    else runs.push({ from: first, through: first + count - 1 })
  }
  return runs
}

interface PartRow {
  readonly id: number
  readonly content: string
}

/** In one question, however many there are. */
function* readRuns(runs: readonly Run[]): Steps<readonly PartRow[]> {
  const [only] = runs
  if (runs.length === 1)
    return yield* all<PartRow>(
      'SELECT id, content FROM text_parts WHERE id BETWEEN ?1 AND ?2',
      only!.from,
      only!.through,
    )
  return yield* all<PartRow>(
    `SELECT p.id, p.content FROM json_each(?1) j
     CROSS JOIN text_parts p ON p.id BETWEEN j.value ->> 0 AND j.value ->> 1`,
    JSON.stringify(runs.map(({ from, through }) => [from, through])),
  )
}
