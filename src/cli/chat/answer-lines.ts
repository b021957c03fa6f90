import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Chat } from './chat.ts'

/** Line by line, each answered before the next, until there are no more. */
export async function answerLines(
  chat: Chat,
  { input, leaving }: { readonly input: Readable; readonly leaving: AbortSignal },
): Promise<void> {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal: leaving })
  leaving.addEventListener('abort', () => leave(), { once: true })
  await chat.quiet()
  for await (const line of lines) {
    if (leaving.aborted || !(await chat.take(line))) break
    await Promise.race([chat.quiet(), left])
  }
  lines.close()
}
