import type { ErasureTarget } from '../store/index.ts'
import type { PlannedErasure } from './plan-erasures.ts'

/** How many of each kind. */
export type ErasureCounts = Readonly<Record<ErasureTarget['kind'], number>>

/** `withoutTarget`: those about nothing that is there. */
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
