import type { Omission } from './context.ts'
import type { RenderedMessage } from './render-message.ts'
import { MIN_STUBBED_TOKENS } from './repair.ts'
import type { MemorySelection } from './session-memory.ts'

export interface LeftOut {
  /** The number of memory documents that are not shown whole. */
  readonly clippedLayers: number
  readonly memory: Pick<MemorySelection, 'omitted' | 'omittedPins'>
  /** Messages above the cursor that are not shown. */
  readonly skipped: { readonly fromSeq: number; readonly toSeq: number; readonly count: number } | null
  readonly skippedBecause: 'over_budget' | 'context_size'
  /** The messages that are shown. */
  readonly rendered: readonly RenderedMessage[]
  /** Long results in messages below this `seq` are replaced by notes. */
  readonly stubBelowSeq: number
}

/** What a context does not show as it was said, in the order of the log. */
export function reportOmissions({
  clippedLayers,
  memory: { omitted, omittedPins },
  skipped,
  skippedBecause,
  rendered,
  stubBelowSeq,
}: LeftOut): Omission[] {
  const list: Omission[] = []
  if (clippedLayers > 0)
    list.push({ what: 'memory', reason: 'over_budget', fromSeq: 0, toSeq: 0, count: clippedLayers })
  if (omittedPins > 0)
    list.push({ what: 'pins', reason: 'over_budget', fromSeq: 0, toSeq: 0, count: omittedPins })
  const [oldest] = omitted
  if (oldest) {
    const { toSeq } = omitted.at(-1)!
    list.push({
      what: 'segments',
      reason: 'over_budget',
      fromSeq: oldest.fromSeq,
      toSeq,
      count: omitted.length,
    })
  }
  if (skipped) list.push({ what: 'messages', reason: skippedBecause, ...rangeOf(skipped) })
  const stubbed = rendered.filter(message => message.seq < stubBelowSeq && hasLongResult(message))
  if (stubbed.length > 0) list.push({ what: 'tool-result', reason: 'old_tool_result', ...spanOf(stubbed) })
  for (const message of rendered)
    if (message.isClipped) list.push({ what: 'text', reason: 'oversized', ...spanOf([message]) })
  const thoughts = rendered.filter(message => message.droppedReasoning)
  if (thoughts.length > 0) list.push({ what: 'reasoning', reason: 'not_sent', ...spanOf(thoughts) })
  return list
}

function rangeOf({ fromSeq, toSeq, count }: NonNullable<LeftOut['skipped']>) {
  return { fromSeq, toSeq, count }
}

function spanOf(messages: readonly RenderedMessage[]) {
  return { fromSeq: messages[0]!.seq, toSeq: messages.at(-1)!.seq, count: messages.length }
}

function hasLongResult({ parts }: RenderedMessage): boolean {
  return parts.some(part => part.type === 'result' && part.tokens >= MIN_STUBBED_TOKENS)
}
