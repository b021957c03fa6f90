import type { GrowthPoint } from '../../../api/types.ts'
import { heightOfTokens } from './heights.ts'

/** Raw messages that are loaded and drawn together. */
export interface RawChunk {
  readonly fromSeq: number
  readonly toSeq: number
  /** In pixels: the height that the log's growth suggests, until the messages are loaded. */
  readonly estimate: number
}

/** The number of messages that are read at a time. A browser draws them in less than a frame. */
const CHUNK = 50

/** Newest first. Chunks begin at round numbers, so that a new message changes only the newest chunk. */
export function rawChunks(afterSeq: number, points: readonly GrowthPoint[]): readonly RawChunk[] {
  const newest = points.at(-1)?.seq ?? 0
  const chunks: RawChunk[] = []
  for (let from = afterSeq + 1; from <= newest; ) {
    const to = Math.min(newest, Math.ceil(from / CHUNK) * CHUNK)
    const count = to - from + 1
    const tokens = (tokensAt(points, to) - tokensAt(points, from - 1)) / count
    chunks.push({ fromSeq: from, toSeq: to, estimate: count * heightOfTokens(tokens) })
    from = to + 1
  }
  return chunks.reverse()
}

/** Between two points the log is assumed to grow evenly. */
export function tokensAt(points: readonly GrowthPoint[], seq: number): number {
  let low = 0
  let high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle]!.seq <= seq) low = middle + 1
    else high = middle
  }
  const before = points[low - 1] ?? { seq: 0, tokens: 0 }
  const after = points[low]
  if (after === undefined) return before.tokens
  const share = (seq - before.seq) / (after.seq - before.seq)
  return before.tokens + share * (after.tokens - before.tokens)
}
