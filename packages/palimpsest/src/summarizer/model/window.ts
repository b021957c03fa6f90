import { estimateTokens } from '../../tokens/index.ts'
import { instructionsFor } from './prompts.ts'

/** For what the model writes, its thoughts included. */
const OUTPUT_SHARE = 0.25
const MAX_OUTPUT_TOKENS = 6_000
/** For the summary of what came before: the newest of it. */
const EARLIER_SHARE = 0.05
/** Our count is an estimate, and other tokenizers than the one that it was fitted to count more. */
const CERTAIN_SHARE = 0.85

/** Less cannot hold the instructions, a piece of a conversation and an answer. */
export const MIN_WINDOW_TOKENS = 4_000
/** Smaller pieces are not worth a call. */
export const MIN_PIECE_TOKENS = 300

export function earlierTokens(windowTokens: number): number {
  return Math.floor(windowTokens * EARLIER_SHARE)
}

/** What a memo may grow to between two pieces: they need the room. */
export function memoTokens(windowTokens: number): number {
  return Math.floor(sourceTokens(windowTokens) / 2)
}

/** What is left for the conversation in a call with so much beside it. */
export function pieceTokens(windowTokens: number, besideTokens: number): number {
  const output = Math.min(windowTokens * OUTPUT_SHARE, MAX_OUTPUT_TOKENS)
  return Math.floor(windowTokens * CERTAIN_SHARE - output - besideTokens)
}

/** What one call takes in for certain, told in tokens of messages as they are measured. */
export function sourceTokens(windowTokens: number, withExtracts = false): number {
  const instructions = estimateTokens(instructionsFor('summarize', true, withExtracts))
  const room = pieceTokens(windowTokens, instructions + earlierTokens(windowTokens))
  // A message as it is shown has its number, day and time before it, and some names have an id, which nobody has measured.
  return Math.max(MIN_PIECE_TOKENS, Math.floor(room * 0.82))
}
