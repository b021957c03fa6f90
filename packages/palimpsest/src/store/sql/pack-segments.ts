import type { NewSegment } from '../../log/index.ts'
import { allIn } from './many.ts'
import { forgetPacked, isCompact, isWorthPacking, keepTexts, packTexts, type Texts } from './packs.ts'
import { run, type Steps } from './steps.ts'
import { summaryWithin } from './summary-within.ts'

type Told = Pick<NewSegment, 'summary' | 'events' | 'details' | 'text'>
type ToldColumns = Readonly<Record<keyof Told, string>>

/**
 * The columns of a new segment. While the segment is shown, its texts stand in a pack of their own. Either
 * the text itself is among them, or no column is: its mark tells that there is a pack.
 */
export function* columnsOfSegment(sessionId: number, told: Told): Steps<ToldColumns> {
  const plain = plainColumns(told)
  if (!isWorthPacking(plain.text) || !(yield* isCompact())) return plain
  const columns = withSummaryOnce(plain, told)
  const texts = longTexts(columns)
  return withMark(columns, texts, yield* keepTexts({ session: sessionId }, texts))
}

function plainColumns({ summary, events, details, text }: Told): ToldColumns {
  return {
    summary: JSON.stringify(summary),
    events: JSON.stringify(events),
    details: JSON.stringify(details),
    text: JSON.stringify(text),
  }
}

/** If the text contains the summary, the summary is stored as a place in the text. */
function withSummaryOnce(plain: ToldColumns, { text, summary }: Pick<Told, 'text' | 'summary'>): ToldColumns {
  return { ...plain, summary: summaryWithin(text, summary) }
}

function longTexts(columns: ToldColumns): Texts {
  return Object.fromEntries(Object.entries(columns).filter(([, text]) => isWorthPacking(text)))
}

function withMark(columns: ToldColumns, texts: Texts, mark: string): ToldColumns {
  return { ...columns, ...Object.fromEntries(Object.keys(texts).map(column => [column, mark])) }
}

interface RolledUp extends ToldColumns {
  readonly id: number
  readonly mark: string
}

/**
 * Packs those of the segments that are rolled up: from now on they share packs. An erased text stays erased.
 */
export function* packSegments(sessionId: number, ids: readonly number[]): Steps<void> {
  if (ids.length === 0 || !(yield* isCompact())) return
  const rows = yield* allIn<RolledUp>(
    // Under another name, the mark is read as it is and not replaced by the text.
    `SELECT id, summary, events, details, text, text AS mark FROM segments
     WHERE session_id = ?1 AND rolled_into IS NOT NULL AND withheld = 0 AND window_messages IS NULL AND id IN (*)`,
    [sessionId],
    ids,
  )
  const worth = rows.filter(({ text }) => isWorthPacking(text)).toSorted((one, other) => one.id - other.id)
  const packed = worth.map(row => {
    const { id, summary, events, details, text } = row
    const told = { summary: JSON.parse(summary) as string, text: JSON.parse(text) as string }
    const columns = withSummaryOnce({ summary, events, details, text }, told)
    return { id, columns, texts: longTexts(columns) }
  })
  const marks = yield* packTexts(
    { session: sessionId },
    packed.map(({ texts }) => texts),
  )
  for (const [place, { id, columns, texts }] of packed.entries()) {
    const { summary, events, details, text } = withMark(columns, texts, marks[place]!)
    yield* run(
      'UPDATE segments SET summary = ?3, events = ?4, details = ?5, text = ?6 WHERE session_id = ?1 AND id = ?2',
      sessionId,
      id,
      summary,
      events,
      details,
      text,
    )
  }
  yield* forgetPacked(worth.map(({ mark }) => mark))
}
