import { inert } from '../context/index.ts'
import { type Language, textsOf } from '../language/index.ts'
import { estimateTokens, FLAT_TOKENS, MESSAGE_OVERHEAD_TOKENS } from '../tokens/index.ts'
import type { SentToModel } from './sdk.ts'

/** A file that the model is shown for one turn. The file is not stored: the log tells where it is. */
export interface TurnFile {
  /** The message that the file belongs to. */
  readonly seq: number
  /** The name that a person would use for it. */
  readonly name: string
  readonly data: Uint8Array
  readonly mediaType: string
}

export interface AtEnd {
  readonly reminder: string | null
  readonly files: readonly TurnFile[]
}

/** What the model is sent after the last message, for this turn alone. */
export function messagesAtEnd({ reminder, files }: AtEnd, language: Language): readonly SentToModel[] {
  const shown = files.map(({ seq, name, data, mediaType }) => ({
    role: 'user',
    content: [
      { type: 'text', text: headOf(seq, name, language) },
      { type: 'file', data: Buffer.from(data).toString('base64'), mediaType },
    ],
  }))
  const said = reminder === null ? [] : [{ role: 'user', content: bySystem(reminder, language) }]
  return [...shown, ...said] as SentToModel[]
}

export function tokensAtEnd({ reminder, files }: AtEnd, language: Language): number {
  const shown = files.map(
    ({ seq, name }) =>
      estimateTokens(headOf(seq, name, language)) + FLAT_TOKENS.image + MESSAGE_OVERHEAD_TOKENS,
  )
  const said = reminder === null ? 0 : estimateTokens(bySystem(reminder, language)) + MESSAGE_OVERHEAD_TOKENS
  return shown.reduce((sum, tokens) => sum + tokens, said)
}

function headOf(seq: number, name: string, language: Language): string {
  return bySystem(textsOf(language).messages.fileOf(seq, inert(name)), language)
}

function bySystem(text: string, language: Language): string {
  return `[${textsOf(language).roles.system}]: ${text}`
}
