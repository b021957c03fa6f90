import type { Message, Person } from '../log/index.ts'
import { type Extract, extractive, type SummarizeRequest } from '../summarizer/index.ts'
import { dominantScript } from './script.ts'
import { sampleText } from './source.ts'

/** The most lines for the chat's own memory from one call. */
const MAX_EXTRACTS = 4

export function extractsFor(messages: readonly Message[]): NonNullable<SummarizeRequest['extracts']> {
  const isChinese = dominantScript(sampleText(messages)) === 'Han'
  return { most: MAX_EXTRACTS, language: isChinese ? 'zh' : 'en' }
}

/** Without a model the extracts are quotations of the messages. */
export async function extractsWithoutModel(
  messages: readonly Message[],
  { zone, signal, people }: { zone: string; signal: AbortSignal; people: readonly Person[] },
): Promise<readonly Extract[]> {
  const extracts = extractsFor(messages)
  const given = { messages, people, extracts, zone, signal }
  const request = { ...given, earlier: null, budgetTokens: 200, detailTokens: 0 }
  return (await extractive().summarize(request)).extracts ?? []
}
