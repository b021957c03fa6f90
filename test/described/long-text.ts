import type { Context } from '../../packages/palimpsest/src/index.ts'

/** Said in a chat: long enough that a summary of it is worth a call, and each with words of its own. */
export function said(turn: number, who: 'user' | 'assistant' = 'user'): string {
  const own = `${who === 'user' ? 'Question' : 'Answer'} ${turn} is about crate ${1_000 + turn} of the harbour.`
  return `${own} ${'The cranes wait for the tide while the lemons are counted twice by hand. '.repeat(6).trim()}`
}

/** Which messages a context shows as they were said. */
export function rawIn({ messageSeqs }: Context): number[] {
  return [...new Set(messageSeqs.filter(seq => seq > 0))]
}
