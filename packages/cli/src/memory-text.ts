import { describe } from 'palimpsest/internals/errors'
import { diffLines, MAX_LINES } from 'palimpsest/internals/memory/workspace/line-diff'
import type { Author, DocumentVersion } from 'palimpsest/internals/store/index'
import { inertLine } from './inert-text.ts'

export function titleOf({ layer, key }: { readonly layer: string; readonly key: string }): string {
  return key === '' ? `${layer} memory` : `${layer} memory of ${inertLine(describe(key))}`
}

export function authorText({ kind, name }: Author): string {
  return name === null ? kind : `${kind} ${inertLine(name)}`
}

/** `2026-02-10 14:03`. */
export function timeText(at: Date, zone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(
    at,
  )
}

export interface LineCounts {
  readonly added: number
  readonly removed: number
}

export function countText({ added, removed }: LineCounts): string {
  return `+${added} −${removed}`
}

/** How many lines a version added and removed. */
export function countLines(version: DocumentVersion, previous: DocumentVersion | undefined): LineCounts {
  const [before, after] = [linesOf(previous?.content ?? ''), linesOf(version.content)]
  if (Math.max(before.length, after.length) > MAX_LINES)
    return { added: countMissing(after, before), removed: countMissing(before, after) }
  const hunks = diffLines(before, after)
  return {
    added: hunks.reduce((sum, { lines }) => sum + lines.length, 0),
    removed: hunks.reduce((sum, { start, end }) => sum + end - start, 0),
  }
}

function linesOf(content: string): readonly string[] {
  return content === '' ? [] : content.replace(/\n$/, '').split('\n')
}

/** How many of the lines the other text lacks. The order does not count; repeated lines do. */
function countMissing(lines: readonly string[], others: readonly string[]): number {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  let missing = 0
  for (const line of lines) {
    const count = left.get(line) ?? 0
    if (count === 0) missing += 1
    else left.set(line, count - 1)
  }
  return missing
}
