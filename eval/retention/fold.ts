import type { SourceMessage } from '../../packages/palimpsest/src/summarizer/index.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import type { ConversationMessage } from '../conversation.ts'

/** Messages that become one segment. */
export interface Fold {
  readonly messages: readonly SaidMessage[]
  /** Of what was said: names, times and what a provider adds to a message are not counted. */
  readonly sourceTokens: number
}

interface SaidMessage extends SourceMessage {
  readonly content: string
}

/** About what the default policy folds at a time in conversations such as LoCoMo's. */
const FOLD_TOKENS = 2_500

/** In stretches of about equal size, as a backlog is folded. */
export function splitIntoFolds(messages: readonly ConversationMessage[]): readonly Fold[] {
  const sizes = messages.map(({ text }) => estimateTokens(text))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const target = total / Math.max(1, Math.round(total / FOLD_TOKENS))
  const folds: { messages: SaidMessage[]; sourceTokens: number }[] = []
  let before = 0
  for (const [index, message] of messages.entries()) {
    // A message belongs where its middle lies.
    const place = Math.floor((before + sizes[index]! / 2) / target)
    if (folds.length === 0 || place >= folds.length) folds.push({ messages: [], sourceTokens: 0 })
    const fold = folds.at(-1)!
    fold.messages.push(toSaid(message, index + 1))
    fold.sourceTokens += sizes[index]!
    before += sizes[index]!
  }
  return folds
}

function toSaid(
  { externalId, replyTo, role, sender, at, text }: ConversationMessage,
  seq: number,
): SaidMessage {
  return {
    seq,
    role,
    sender: sender === '' ? null : { id: sender },
    content: text,
    at: new Date(at),
    zone: null,
    externalId,
    replyTo: replyTo ?? null,
  }
}
