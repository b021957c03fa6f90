import { all, type Steps } from '../sql/steps.ts'

/**
 * In a compact database, some texts are stored in a table of parts (migration 18): those that would make
 * their row spill over into a page of its own. Four parts of the greatest size fill a page, so that little of
 * it stays empty for any size of text.
 */

/** Added to the `format` of a row whose text is in parts. */
export const IN_PARTS = 4

const MAX_OCTETS_OF_PART = 1_000
/** A longer text is one part. It fills several pages by itself, and the last one matters little. */
const MAX_OCTETS_IN_PARTS = 16_000

/** The place of a text, which its row has as `FIRST COUNT OCTETS`. */
export interface Mark {
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

/** The beginning of the character that this octet belongs to. */
function characterAt(bytes: Buffer, at: number): number {
  let start = Math.min(at, bytes.length)
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start -= 1
  return start
}

/** A mark in rows that were read, and a way to put the text in its place. */
export interface Hole {
  readonly mark: Mark
  fill(text: string): void
}

/** One question reads all holes: a question for each hole would take several times as long. */
export function* fillHoles(holes: readonly Hole[]): Steps<void> {
  const inOrder = holes.toSorted((one, other) => one.mark.first - other.mark.first)
  const parts = yield* readRuns(runsOf(inOrder))
  let at = 0
  for (const { mark, fill } of inOrder) {
    while (at < parts.length && parts[at]!.id < mark.first) at += 1
    fill(joined(parts, at, mark))
  }
}

export function parseMark(mark: string): Mark {
  const afterFirst = mark.indexOf(' ')
  const afterCount = mark.indexOf(' ', afterFirst + 1)
  return {
    first: Number(mark.slice(0, afterFirst)),
    count: Number(mark.slice(afterFirst + 1, afterCount)),
    octets: Number(mark.slice(afterCount + 1)),
  }
}

/** SQL that reads the octets out of a mark. */
export function octetsInMark(mark: string): string {
  const afterFirst = `substr(${mark}, instr(${mark}, ' ') + 1)`
  return `CAST(substr(${afterFirst}, instr(${afterFirst}, ' ') + 1) AS INTEGER)`
}

function joined(parts: readonly PartRow[], at: number, { first, count, octets }: Mark): string {
  let text = ''
  for (let place = 0; place < count; place++) {
    const row = parts[at + place]
    // A page was lost. A text that is missing, or is not complete, must not look like one that was read.
    if (row?.id !== first + place) throw new SyntaxError('a text whose parts are not there')
    text += row.part
  }
  if (Buffer.byteLength(text) !== octets) throw new SyntaxError('a text of another length than it had')
  return text
}

interface Run {
  readonly from: number
  readonly through: number
}

/**
 * Parts that follow one another are read at a stretch. So are those of messages that came one after the
 * other.
 */
function runsOf(inOrder: readonly Hole[]): readonly Run[] {
  const runs: { from: number; through: number }[] = []
  let last: { from: number; through: number } | undefined
  for (const {
    mark: { first, count },
  } of inOrder) {
    if (last !== undefined && first <= last.through + 1)
      last.through = Math.max(last.through, first + count - 1)
    else {
      last = { from: first, through: first + count - 1 }
      runs.push(last)
    }
  }
  return runs
}

interface PartRow {
  readonly id: number
  readonly part: string
}

/** Reads all runs in one question, however many there are, and in order. */
function* readRuns(runs: readonly Run[]): Steps<readonly PartRow[]> {
  const [only] = runs
  if (runs.length === 1)
    return yield* all<PartRow>(
      'SELECT id, content AS part FROM text_parts WHERE id BETWEEN ?1 AND ?2',
      only!.from,
      only!.through,
    )
  return yield* all<PartRow>(
    `SELECT p.id, p.content AS part FROM json_each(?1) j
     CROSS JOIN text_parts p ON p.id BETWEEN j.value ->> 0 AND j.value ->> 1`,
    JSON.stringify(runs.map(({ from, through }) => [from, through])),
  )
}
