import { type Shown, scaleOf } from './asked.ts'
import { markedInstructions, markedMessages } from './cache-marks.ts'
import type { SentToModel, SystemMessage } from './sdk.ts'

/** What the model is sent, without what the steps since then said. */
export interface Base {
  readonly instructions?: SystemMessage
  readonly messages: readonly SentToModel[]
  /** Tokens as the model counts them, with the room for the reply. */
  readonly tokens: number
  /** How many tokens of the model one of our tokens is. */
  readonly scale: number
}

export function baseOf({ context, sent, tokens }: Shown): Base {
  const instructions = markedInstructions(sent.instructions, sent.breakpoints)
  return {
    ...(instructions && { instructions }),
    messages: markedMessages(sent.messages, sent.breakpoints),
    tokens,
    scale: scaleOf(context),
  }
}
