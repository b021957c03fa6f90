import { type Shown, scaleOf } from './asked.ts'
import { markedInstructions, markedMessages } from './cache-marks.ts'
import type { SentToModel, SystemMessage } from './sdk.ts'

/** What the model is sent, but for what was said in the steps since. */
export interface Base {
  readonly instructions?: SystemMessage
  readonly messages: readonly SentToModel[]
  /** In the model's own tokens, the room for the reply included. */
  readonly tokens: number
  /** Tokens of the model's for one of ours. */
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
