import type { Texts } from '../../language/index.ts'
import { splitLines } from '../../log/index.ts'
import type { DocumentKey, NewFact, SessionKey } from '../../store/index.ts'
import { dayInZone, formatDay } from '../../summarizer/calendar-day.ts'
import type { Moment } from '../../summarizer/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { condenseDocument } from '../condense-document.ts'
import { daySpokenOf } from '../day-spoken-of.ts'
import { appendText, datedLine, listLines, sayingOf, sectionIn, withLines } from '../document/index.ts'
import type { MemoryEngine } from '../engine.ts'
import { initialContent } from '../initial-content.ts'
import { ToolArgumentError } from './check-arguments.ts'
import { MAX_CONTENT_CHARACTERS } from './definitions.ts'

export interface Note {
  readonly key: DocumentKey
  /** The session that writes, as it was seen. */
  readonly from: SessionKey
  readonly content: string
  readonly section: string | undefined
  readonly tool: string
  /** The id of the person that the note is about. */
  readonly subject: string | null
  /** The newest message at the time of the write. */
  readonly origin: { readonly sessionId: string; readonly seq: number }
  readonly texts: Texts['tools']
}

const MAX_LINES = 20

/** Adds dated lines that a document does not have yet, and returns how many were new. */
export async function writeNote(
  engine: MemoryEngine,
  note: Note,
): Promise<{ added: number; tokens: number }> {
  const { store, clock, zone, noteChange } = engine
  const moment = { at: new Date(clock()), zone }
  const lines = linesOf(note, formatDay(dayInZone(moment.at, zone)))
  const initial = (await initialContent(engine, note.key)) ?? ''
  let added = 0
  const [document] = await store.documents.changeDocuments([
    {
      key: note.key,
      from: note.from,
      change: current => {
        const content = current?.content || initial
        const known = new Set(listLines(content).map(sayingOf))
        const fresh = lines.filter(line => !known.has(sayingOf(line)))
        added = fresh.length
        if (fresh.length === 0) return null
        const grown =
          note.section === undefined
            ? appendText(content, fresh.join('\n'))
            : withLines(content, sectionIn(content, note.section), fresh)
        const facts = fresh.map(line => toFact(line, note, moment))
        return { content: grown, tokens: estimateTokens(grown), facts }
      },
      author: { kind: 'tool', name: note.tool },
      sources: [sourceOf(note)],
      now: clock(),
    },
  ])
  noteChange()
  const condensed = document && (await condenseDocument(engine, { key: note.key, document, added: lines }))
  return { added, tokens: (condensed ?? document)?.tokens ?? 0 }
}

function sourceOf({ origin: { sessionId, seq } }: Note) {
  return { sessionId, fromSeq: seq, toSeq: seq }
}

function toFact(line: string, note: Note, moment: Moment): NewFact {
  const on = daySpokenOf(sayingOf(line), moment)
  return { line, subject: note.subject, origin: sourceOf(note), saidAt: moment.at, on, from: 'tool' }
}

function linesOf({ content, texts }: Note, day: string): readonly string[] {
  if (content.length > MAX_CONTENT_CHARACTERS)
    throw new ToolArgumentError(texts.tooLong(content.length, MAX_CONTENT_CHARACTERS))
  const lines = splitLines(content)
    .map(line => line.replace(/^\s*[-*•]\s+/, '').trim())
    .filter(line => line !== '')
  if (lines.length > MAX_LINES) throw new ToolArgumentError(texts.tooManyLines(lines.length, MAX_LINES))
  return [...new Set(lines.map(line => datedLine(day, line)))]
}
