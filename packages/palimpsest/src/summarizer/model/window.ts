import { estimateTokens } from '../../tokens/index.ts'
import { instructionsFor } from './prompts.ts'

/** The share for what the model writes, its thoughts included. */
const OUTPUT_SHARE = 0.25
const MAX_OUTPUT_TOKENS = 6_000
/** The share for the summary of what came before. The newest part of that summary is kept. */
const EARLIER_SHARE = 0.05
/**
 * The share that is certain to fit: our count is an estimate, and other tokenizers than the one that it was
 * fitted to count more.
 */
const CERTAIN_SHARE = 0.85

/** A smaller window cannot hold the instructions, a piece of a conversation and an answer. */
export const MIN_WINDOW_TOKENS = 4_000
/** Smaller pieces are not worth a call. */
export const MIN_PIECE_TOKENS = 300

export function earlierTokens(windowTokens: number): number {
  return Math.floor(windowTokens * EARLIER_SHARE)
}

/** The most tokens that a memo may have between two pieces: the pieces need the room. */
export function memoTokens(windowTokens: number): number {
  return Math.floor(sourceTokens(windowTokens) / 2)
}

/** The tokens left for the conversation in a call with `besideTokens` beside it. */
export function pieceTokens(windowTokens: number, besideTokens: number): number {
  const output = Math.min(windowTokens * OUTPUT_SHARE, MAX_OUTPUT_TOKENS)
  return Math.floor(windowTokens * CERTAIN_SHARE - output - besideTokens)
}

/** What one call takes in for certain, in tokens of messages as the log measures them. */
export function sourceTokens(windowTokens: number, withExtracts = false): number {
  const instructions = estimateTokens(instructionsFor('summarize', true, withExtracts))
  const room = pieceTokens(windowTokens, instructions + earlierTokens(windowTokens))
  // A message is shown with its number, day and time before it, and some names with an id. The measure of a
  // message does not hold these.
  return Math.max(MIN_PIECE_TOKENS, Math.floor(room * 0.82))
}
