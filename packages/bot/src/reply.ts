import { InvalidArgumentError } from 'palimpsest/internals/errors'
import type { Interruption, TextPart } from 'palimpsest/internals/log/index'
import type { FinishedTurn } from 'palimpsest/internals/turn/index'
import type { Reply, ReplyRequest, Responder } from './responder.ts'

/** Turns anything that a responder may return into a reply that stores itself. */
export async function askResponder(responder: Responder, request: ReplyRequest): Promise<Reply> {
  const given = await responder(request)
  if (typeof given === 'string') return textReply(oneText(given), request)
  if (isReply(given)) return given
  if (isTexts(given)) return textReply(given, request)
  throw new InvalidArgumentError(
    'responder',
    typeof given,
    'a responder that gives text, pieces of text as they come, or { text, finish }',
  )
}

function isReply(given: unknown): given is Reply {
  return typeof (given as Reply | null)?.finish === 'function'
}

function isTexts(given: unknown): given is AsyncIterable<string> {
  return typeof (given as AsyncIterable<string> | null)?.[Symbol.asyncIterator] === 'function'
}

async function* oneText(text: string): AsyncGenerator<string> {
  yield text
}

/**
 * The text is stored when it has ended: as an answer if it is whole, else as far as it came. `recalled` marks
 * a reply that only repeats what was said before.
 */
export function textReply(
  pieces: AsyncIterable<string>,
  { session, messages, signal }: ReplyRequest,
  { recalled = false } = {},
): Reply {
  const seqs = messages.map(({ seq }) => seq)
  const externalId = `reply:${crypto.randomUUID()}`
  let text = ''
  let end: { status: FinishedTurn['status']; error?: unknown } | null = null
  async function* listen(): AsyncGenerator<string> {
    try {
      for await (const piece of pieces) {
        text += piece
        yield piece
      }
      end = signal.aborted ? { status: 'aborted', error: signal.reason } : { status: 'complete' }
    } catch (error) {
      end = { status: signal.aborted ? 'aborted' : 'failed', error }
      throw error
    }
  }
  const store = async (status: FinishedTurn['status']) => {
    const isWhole = status === 'complete'
    const marks = {
      ...(recalled && { recalled: true as const }),
      ...(!isWhole && { interrupted: status as Interruption }),
    }
    const said = text === '' ? [] : [assistantMessage(text, marks)]
    if (said.length === 0 && !isWhole) return []
    const { messages } = await session.append(
      said.map(message => ({ ...message, externalId, replyTo: seqs[0]! })),
      { answers: isWhole ? { seqs } : { seqs, isPart: true } },
    )
    return messages.map(({ seq }) => seq)
  }
  return {
    text: listen(),
    // The reply quotes what people wrote.
    ...(recalled && { isPlain: true }),
    finish: async () => {
      const { status, ...rest } = end ?? { status: 'aborted' as const, error: signal.reason }
      return { status, ...rest, seqs: await store(status), usage: null }
    },
  }
}

function assistantMessage(text: string, marks: Pick<TextPart, 'recalled' | 'interrupted'>) {
  const isPlain = Object.keys(marks).length === 0
  return { role: 'assistant' as const, content: isPlain ? text : [{ type: 'text' as const, text, ...marks }] }
}
