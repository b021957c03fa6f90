import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Chat } from './chat.ts'

/** Answers the lines of the input, one after the other, until there are no more. */
export async function answerLines(
  chat: Chat,
  { input, leaving }: { readonly input: Readable; readonly leaving: AbortSignal },
): Promise<void> {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  leaving.addEventListener('abort', () => leave(), { once: true })
  await Promise.race([chat.quiet(), left])
  if (leaving.aborted) return
  // No `await` may stand between here and the loop: lines that arrive before the loop reads them are lost.
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal: leaving })
  for await (const line of lines) {
    if (leaving.aborted || !(await chat.take(line))) break
    await Promise.race([chat.quiet(), left])
  }
  lines.close()
}
