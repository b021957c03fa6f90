import type { Person } from '../../log/index.ts'
import type { ContextRead, ContextRequest, LoggedMessage, SessionRecord, Warn } from '../store.ts'
import { withAnswered } from './answered.ts'
import { readCorrected } from './corrections.ts'
import { shownRow, sumVisible, TOLD_AFTER } from './fold-state.ts'
import { newestRow } from './head.ts'
import { layersOf } from './layers.ts'
import { contextPins, pinRows } from './pins.ts'
import {
  MESSAGE_COLUMNS,
  MESSAGE_TABLES,
  type MessageRow,
  type SegmentRow,
  type SessionRow,
  toMessage,
} from './rows.ts'
import { memoRow, recordOf } from './session-record.ts'
import { all, askAll, type Steps } from './steps.ts'
import { readVisible, type SeqRange } from './visible.ts'

const COLUMNS = `${MESSAGE_COLUMNS}, m.tokens, m.total_turns`

interface ContextRow extends MessageRow {
  readonly tokens: number
  readonly total_turns: number
}

/** The usual size of a message. It only decides how many messages are read at a time. */
const DEFAULT_TOKENS = 48
const MIN_AT_A_TIME = 16
const MAX_AT_A_TIME = 1_000

export function* readContext(session: SessionRow, request: ContextRequest, warn: Warn): Steps<ContextRead> {
  const { question: layerRows, versions } = layersOf(session, request.days ?? [])
  const [[newest], [shown], [memo], pinned, layered] = yield* askAll([
    newestRow(session),
    shownRow(session),
    memoRow(session),
    pinRows(session),
    layerRows,
  ])
  const record = yield* recordOf(session, { newest, shown, memo }, warn)
  const { compactedThrough } = record.state
  const pins = yield* contextPins(session, pinned, compactedThrough)
  const layers = versions(layered)
  const corrected = session.corrections === null ? [] : yield* readCorrected(session)
  const begun = {
    rawAfter: Math.max(compactedThrough, session.begins_after),
    raw: yield* rawOf(session, record, request.through),
  }
  const { since, through } = request
  if (
    through === undefined &&
    since !== undefined &&
    since.epoch === record.epoch &&
    since.seq >= begun.rawAfter
  ) {
    const range = { after: since.seq, through: record.head?.seq ?? 0 }
    const added = yield* readNewest(session, range, request.tokens)
    // If more has come since than a context can show, the context is read as if for the first time.
    if (!added.isCut)
      return {
        session: record,
        base: null,
        pins,
        messages: yield* toMessages(added.rows, session, compactedThrough),
        isWhole: false,
        ...begun,
        layers,
        corrected,
      }
  }
  return { ...(yield* readAnew(session, request, record)), ...begun, pins, layers, corrected }
}

/**
 * Usually a difference of totals. It is a sum in two cases: through an older message, and while the end of an
 * earlier chapter is not folded yet.
 */
function* rawOf(
  session: SessionRow,
  { head, state }: SessionRecord,
  through?: number,
): Steps<ContextRead['raw']> {
  const { compactedThrough } = state
  if (through !== undefined || session.begins_after > compactedThrough)
    return yield* sumVisible(
      session,
      Math.max(session.begins_after, compactedThrough),
      through ?? head?.seq ?? 0,
    )
  return {
    messages: (head?.totals.messages ?? 0) - state.folded.messages,
    tokens: (head?.totals.tokens ?? 0) - state.folded.tokens,
  }
}

function* readAnew(
  session: SessionRow,
  { tokens, archivedTokens, through }: ContextRequest,
  record: SessionRecord,
): Steps<Pick<ContextRead, 'session' | 'base' | 'messages' | 'isWhole'>> {
  const { compactedThrough } = record.state
  const { begins_after } = session
  const isFolded = compactedThrough > begins_after
  const range = {
    after: Math.max(compactedThrough, begins_after),
    through: through ?? record.head?.seq ?? 0,
  }
  const raw = yield* readNewest(session, range, tokens)
  const archived =
    archivedTokens <= 0 || raw.isCut
      ? null
      : yield* readNewest(session, { after: begins_after, through: compactedThrough }, archivedTokens)
  return {
    session: record,
    base: { segments: isFolded ? yield* readSegmentTexts(session) : [] },
    messages: yield* toMessages([...(archived?.rows ?? []), ...raw.rows], session, compactedThrough),
    isWhole: archived === null ? !isFolded && !raw.isCut : !archived.isCut,
  }
}

function* toMessages(
  rows: readonly ContextRow[],
  session: SessionRow,
  compactedThrough: number,
): Steps<readonly LoggedMessage[]> {
  const messages = rows.map(row => ({
    ...toMessage(row, session.name, compactedThrough),
    turn: row.total_turns,
    tokens: row.tokens,
  }))
  return yield* withAnswered(session, messages)
}

type SegmentTextRow = Pick<
  SegmentRow,
  'from_seq' | 'to_seq' | 'level' | 'text' | 'tokens_after' | 'people'
> & {
  readonly [column in 'summary' | 'events' | 'details']: string | null
}

/** The first schema had no column for the text. */
const UNTOLD = `text = '""' AND summary <> '""'`

/** Reads the texts without their details, because a segment may have very many details. */
function* readSegmentTexts(session: SessionRow): Steps<NonNullable<ContextRead['base']>['segments']> {
  const rows = yield* all<SegmentTextRow>(
    `SELECT from_seq, to_seq, level, text, tokens_after, people, CASE WHEN ${UNTOLD} THEN summary END AS summary,
       CASE WHEN ${UNTOLD} THEN events END AS events, CASE WHEN ${UNTOLD} THEN details END AS details
     FROM segments WHERE ${TOLD_AFTER} ORDER BY from_seq`,
    session.id,
    session.begins_after,
  )
  return rows.map(row => ({
    fromSeq: row.from_seq,
    toSeq: row.to_seq,
    level: row.level,
    text: JSON.parse(row.text) as string,
    tokensAfter: row.tokens_after,
    people: row.people === null ? null : (JSON.parse(row.people) as Person[]),
    ...(row.summary !== null && {
      untold: {
        summary: JSON.parse(row.summary) as string,
        events: JSON.parse(row.events!) as unknown[],
        details: JSON.parse(row.details!) as unknown[],
      },
    }),
  }))
}

/**
 * The newest messages of a range, oldest first, until they have this many tokens. The message that reaches
 * this number is included.
 */
function* readNewest(
  session: SessionRow,
  range: SeqRange,
  tokens: number,
): Steps<{ rows: readonly ContextRow[]; isCut: boolean }> {
  const newestFirst: ContextRow[] = []
  let sum = 0
  const atATime = Math.min(MAX_AT_A_TIME, Math.max(MIN_AT_A_TIME, Math.ceil(tokens / DEFAULT_TOKENS)))
  let { through } = range
  while (through > range.after && sum <= tokens) {
    const page = yield* readVisible<ContextRow>(session, {
      columns: COLUMNS,
      tables: MESSAGE_TABLES,
      after: range.after,
      through,
      limit: atATime,
      from: 'newest',
    })
    for (const row of page.toReversed()) {
      newestFirst.push(row)
      sum += row.tokens
      if (sum > tokens) break
    }
    if (page.length < atATime) break
    through = page[0]!.seq - 1
  }
  return { rows: newestFirst.reverse(), isCut: sum > tokens }
}
