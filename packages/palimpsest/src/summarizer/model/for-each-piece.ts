import { estimateTokens } from '../../tokens/index.ts'
import { SummarizerError } from '../summarizer-error.ts'
import { modelName } from './language-model.ts'
import type { ModelSummarizerSettings } from './model-summarizer.ts'
import type { Entry } from './render-source.ts'
import { type Piece, takePiece } from './take-piece.ts'
import type { Tally } from './tally.ts'
import { MIN_PIECE_TOKENS, pieceTokens } from './window.ts'

interface PieceLoop {
  readonly entries: readonly Entry[]
  readonly settings: ModelSummarizerSettings
  /** The tally of all pieces: an error also tells what was used before it. */
  readonly tally: Tally
  /** Tokens of all else that the next call holds. */
  readonly besideTokens: () => number
  readonly work: (piece: Piece, isLast: boolean) => Promise<void>
}

/**
 * Goes from the front to the end, with as much at a time as the window holds. A provider whose window is
 * smaller than the settings say answers so; the pieces are then halved until they fit.
 */
export async function forEachPiece({
  entries,
  settings,
  tally,
  besideTokens,
  work,
}: PieceLoop): Promise<void> {
  const model = modelName(settings.model)
  let most = Number.POSITIVE_INFINITY
  for (let rest = entries; rest.length > 0; ) {
    const beside = besideTokens()
    const room = Math.min(most, pieceTokens(settings.windowTokens, beside))
    if (room < MIN_PIECE_TOKENS)
      throw new SummarizerError(
        'overflow',
        `has a window of ${settings.windowTokens} tokens, and ${beside} of them are needed beside the conversation`,
        { model },
      )
    const piece = takePiece(rest, room)
    try {
      await work(piece, piece.rest.length === 0)
      rest = piece.rest
    } catch (error) {
      if (!SummarizerError.isInstance(error)) throw error
      const isUnasked = SummarizerError.isSpendGuard(error) && tally.total().calls === 0
      if (isUnasked) throw error
      const half = Math.floor(Math.min(room, estimateTokens(piece.text)) / 2)
      if (error.reason !== 'overflow' || half < MIN_PIECE_TOKENS) throw error.withUsage(tally.total())
      most = half
    }
  }
}
