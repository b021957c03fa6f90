import type { ContextAnswer } from '../../../api/types.ts'
import { readBlocks, type ShownBlock } from './read-blocks.ts'

/** How a context follows an earlier one of the same session, with the same wishes. */
export interface ContextComparison {
  /** `grown`: the whole stable part is still there, and more comes after it. */
  readonly change: 'same' | 'grown' | 'parted'
  /** The tokens from the start that both contexts have. They are in the provider's cache. */
  readonly sameTokens: number
  /** All tokens of the later context that are sent. */
  readonly tokens: number
  /** Where the two differ, as a place in the later one; `null`: one of them ends there. */
  readonly partsAt: { readonly block: string; readonly seq: number } | null
  readonly isNewEpoch: boolean
}

interface Piece {
  readonly block: string
  readonly seq: number
  readonly tokens: number
  readonly text: string
}

export function compareContexts(earlier: ContextAnswer, later: ContextAnswer): ContextComparison {
  const [before, after] = [piecesOf(earlier), piecesOf(later)]
  const shared = after.pieces.findIndex(({ text }, place) => text !== before.pieces[place]?.text)
  const same = shared < 0 ? after.pieces.length : shared
  const parts = after.pieces[same]
  const isSame = same === after.pieces.length && same === before.pieces.length
  return {
    change: isSame ? 'same' : same >= before.stable ? 'grown' : 'parted',
    sameTokens: tokensOf(after.pieces.slice(0, same)),
    tokens: tokensOf(after.pieces),
    partsAt: parts === undefined ? null : { block: parts.block, seq: parts.seq },
    isNewEpoch: earlier.report.epoch !== later.report.epoch,
  }
}

/** The pieces in the order in which a provider reads them. */
function piecesOf(context: ContextAnswer): { pieces: readonly Piece[]; stable: number } {
  const { stable, changing } = readBlocks(context)
  const above = stable.flatMap(piecesOfBlock)
  return { pieces: [...above, ...changing.flatMap(piecesOfBlock)], stable: above.length }
}

function piecesOfBlock({ name, tokens, text, messages }: ShownBlock): Piece[] {
  if (messages.length === 0) return [{ block: name, seq: 0, tokens, text: text ?? `${name} ${tokens}` }]
  const counted = messages.reduce((sum, message) => sum + message.tokens, 0)
  const scale = counted === 0 ? 1 : tokens / counted
  return messages.map(message => ({
    block: name,
    seq: message.seq,
    tokens: message.tokens * scale,
    text: JSON.stringify(message.message),
  }))
}

function tokensOf(pieces: readonly Piece[]): number {
  return Math.round(pieces.reduce((sum, { tokens }) => sum + tokens, 0))
}
