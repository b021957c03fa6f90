import { PalimpsestError } from 'palimpsest/internals/errors'
import type { Answering, Piece } from './answering.ts'
import { chunksOf, type Frame, firstChunk } from './completion.ts'
import { completionError } from './completion-error.ts'
import { stopped } from './model-failure.ts'

interface StreamOptions {
  readonly isUsageWanted: boolean
  readonly signal: AbortSignal
  /** Gets errors that the client cannot be told. */
  readonly onError: (error: unknown) => void
}

/**
 * The answer as server-sent events. It waits for the first piece, so that an earlier failure still gets an
 * error status of its own. It asks for a piece only when the stream has room. When the client leaves, the
 * answer is stopped, and the part that came is stored.
 */
export async function chunkStream(
  frame: Frame,
  { pieces, stop }: Answering,
  { isUsageWanted, signal, onError }: StreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  let isLeft = false
  const leave = async () => {
    isLeft = true
    signal.removeEventListener('abort', leave)
    stop()
    await pieces.return().catch(onError)
  }
  let next: IteratorResult<Piece, void> | null = await pieces.next()
  if (signal.aborted) {
    await leave()
    throw stopped()
  }
  const encoder = new TextEncoder()
  const lines = (events: readonly object[]) =>
    encoder.encode(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''))
  // A client that has gone does not pull, so without this no code would ask
  // for the next piece or end the answer.
  signal.addEventListener('abort', leave)
  const end = (controller: ReadableStreamDefaultController<Uint8Array>, last: Uint8Array) => {
    signal.removeEventListener('abort', leave)
    controller.enqueue(last)
    controller.close()
  }
  return new ReadableStream<Uint8Array>(
    {
      start: controller => controller.enqueue(lines([firstChunk(frame, { isUsageWanted })])),
      pull: async controller => {
        try {
          const { value, done } = next ?? (await pieces.next())
          next = null
          if (done && isLeft) throw stopped()
          if (done) end(controller, encoder.encode('data: [DONE]\n\n'))
          else controller.enqueue(lines(chunksOf(frame, value, { isUsageWanted })))
        } catch (error) {
          if (!PalimpsestError.isInstance(error)) onError(error)
          end(controller, lines([{ error: completionError(told(error)) }]))
        }
      },
      cancel: leave,
    },
    { highWaterMark: 1 },
  )
}

/** The status line is sent already, so the error itself has to say everything. */
function told(error: unknown): PalimpsestError {
  if (PalimpsestError.isInstance(error)) return error
  return new PalimpsestError('unexpected', 'Something unexpected went wrong while the answer was sent.', {})
}
