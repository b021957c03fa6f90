import type { ModelRequest } from '../../packages/palimpsest/src/testing/index.ts'

/** What a model was asked, as it reads it. */
export function textsOf(body: ModelRequest['body']): { instructions: string; prompt: string } {
  const text = (content: unknown) =>
    typeof content === 'string' ? content : (content as { text: string }[]).map(part => part.text).join('')
  const [system, user] = body.messages ?? []
  return { instructions: text(system?.content), prompt: text(user?.content) }
}

/** For user or scope memory, and not for a fold. */
export function isForFacts(instructions: string): boolean {
  return instructions.includes('what a memory should take')
}

/** What stands between a prompt's tags; `null`: there are none. */
export function promptBlock(prompt: string, tag: string): string | null {
  return new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`).exec(prompt)?.[1] ?? null
}
