import type { ErasedLine } from '../erasure/erased-line.ts'
import type { ErasureTarget } from '../store/index.ts'
import type { PlannedErasure } from './plan-erasures.ts'

/** How many erasures of each kind. */
export type ErasureCounts = Readonly<Record<ErasureTarget['kind'], number>>

/** `withoutTarget`: the erasures whose target is not in the database. */
export function countKinds(planned: readonly PlannedErasure[]): {
  readonly erased: ErasureCounts
  readonly withoutTarget: number
} {
  const erased = { messages: 0, session: 0, person: 0, namespace: 0 }
  let withoutTarget = 0
  for (const { line, found } of planned)
    if (found.length > 0) erased[line.kind]++
    else withoutTarget++
  return { erased, withoutTarget }
}

export function countLines(lines: readonly Pick<ErasedLine, 'kind'>[]): ErasureCounts {
  const counts = { messages: 0, session: 0, person: 0, namespace: 0 }
  for (const { kind } of lines) counts[kind]++
  return counts
}

const KINDS: Readonly<Record<keyof ErasureCounts, readonly [string, string]>> = {
  messages: ['erasure of messages', 'erasures of messages'],
  session: ['session', 'sessions'],
  person: ['person', 'persons'],
  namespace: ['namespace', 'namespaces'],
}

/** Empty: there is no erasure of any kind. */
export function kindsText(counts: ErasureCounts): string {
  return (Object.keys(KINDS) as (keyof ErasureCounts)[])
    .filter(kind => counts[kind] > 0)
    .map(kind => `${counts[kind]} ${KINDS[kind][counts[kind] === 1 ? 0 : 1]}`)
    .join(', ')
}
