import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import type { Fold } from './fold.ts'

/** A way to make a conversation shorter. */
export interface Method {
  readonly name: string
  /** A text for each fold, none of them over `budgetOf` it. */
  shorten(folds: readonly Fold[], share: number): Promise<readonly string[]>
}

/**
 * What a fold's text may take: so much of its source, the line between it and the next one included. A token
 * less, since each figure is rounded and all of them together must not be over.
 */
export function budgetOf({ sourceTokens }: Fold, share: number): number {
  return Math.max(0, Math.floor(sourceTokens * share) - 1)
}

export function tokensOf(text: string): number {
  return text === '' ? 0 : estimateTokens(`${text}\n\n`)
}

export function joinTexts(texts: readonly string[]): string {
  return texts.filter(text => text !== '').join('\n\n')
}
