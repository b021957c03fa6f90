import type { Transcript } from '@palimpsest/replay/internals/transcript/index'
import type { ImportedDocument } from './import-older.ts'
import type { PlannedSession } from './import-plan.ts'

/** What an import did or would do. */

export interface ImportResult {
  readonly session: string
  readonly title: string | null
  readonly messages: number
  readonly added: number
  readonly duplicates: number
}

export function resultOf({ session, transcript, added, duplicates }: PlannedSession): ImportResult {
  return { session, title: transcript.title, messages: added + duplicates, added, duplicates }
}

/** What a session of an older system brings with it. */
export function wholeJson({ whole, state, transcript }: PlannedSession): object {
  if (whole === null) return { state }
  const { file, notes } = whole
  return {
    state,
    compactedThrough: file.compactedThrough,
    lastFoldAt: toIso(file.counters.lastFoldAt),
    segments: file.segments.map(({ fromSeq, toSeq, summarizer, createdAt }) => ({
      fromSeq,
      toSeq,
      from: summarizer === 'imported' ? 'summary' : summarizer === 'window' ? 'history' : 'extract',
      createdAt,
    })),
    memo: file.memo !== null,
    settings: file.settings,
    documents: file.documents.map(({ day }) => ({ layer: day === null ? 'chat' : 'daily', day })),
    first: file.messages[0]?.at ?? null,
    last: file.messages.at(-1)?.at ?? null,
    format: transcript.format,
    notes,
  }
}

function toIso(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString()
}

export function sessionLine({ session, title, added, duplicates }: ImportResult): string {
  const name = title === null ? '' : ` (${JSON.stringify(title)})`
  return `${JSON.stringify(session)}${name}: ${added} added, ${duplicates} there already\n`
}

/** The lines below a session's own line: what came with it, and what was changed on import. */
export function wholeLines({ whole, state }: PlannedSession): string {
  if (whole === null) return ''
  const { file, notes } = whole
  const lines: string[] = []
  if (state === 'there') lines.push('it is there already: its cursor and its segments stay as they are')
  else {
    if (file.compactedThrough > 0)
      lines.push(`folded through message ${file.compactedThrough}: ${coverText(file.segments)}`)
    if (file.memo !== null) lines.push('with its memo')
    const { policy, ...numbers } = file.settings
    if (policy !== undefined)
      lines.push(
        `settings: ${[policy, ...Object.entries(numbers).map(([name, value]) => `${name}=${value}`)].join(' ')}`,
      )
    const days = file.documents.filter(({ day }) => day !== null).length
    if (file.documents.length > days) lines.push('with its chat memory')
    if (days > 0) lines.push(`with ${days} daily log${days === 1 ? '' : 's'}`)
  }
  for (const note of notes) lines.push(`note: ${note}`)
  return lines.map(line => `  ${line}\n`).join('')
}

type FileSegments = NonNullable<PlannedSession['whole']>['file']['segments']

const COVERS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  imported: ['its summary', 'its summaries'],
  window: ['its current history', 'its current history'],
}
const EXTRACT = ['an extract', 'extracts'] as const

/** Neighbours that were made in the same way become one entry: a long chat has a hundred extracts. */
function coverText(segments: FileSegments): string {
  const runs: { from: number; to: number; count: number; by: readonly [string, string] }[] = []
  for (const { fromSeq, toSeq, summarizer } of segments) {
    const by = COVERS[summarizer] ?? EXTRACT
    const last = runs.at(-1)
    if (last?.by === by) Object.assign(last, { to: toSeq, count: last.count + 1 })
    else runs.push({ from: fromSeq, to: toSeq, count: 1, by })
  }
  return runs
    .map(
      ({ from, to, count, by }) =>
        `${from}–${to} by ${count === 1 ? by[0] : `${count} ${by[1].replace('its ', '')}`}`,
    )
    .join(', ')
}

const STATES: Readonly<Record<ImportedDocument['state'], string>> = {
  added: 'added',
  there: 'there already',
  different: 'there already with other words, which stay; compare them yourself',
}

export function documentLine({ layer, file, state }: ImportedDocument): string {
  return `${layer} (${file}): ${STATES[state]}\n`
}

export function dryRunLine({ path, format }: Transcript): string {
  return `Nothing was written. What an import of ${path} (${format}) would do:\n`
}
