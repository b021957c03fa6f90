import { PalimpsestError } from '../../errors.ts'
import type { Answering, Piece } from './answering.ts'
import { chunksOf, type Frame, firstChunk } from './completion.ts'
import { stopped } from './model-failure.ts'

interface StreamOptions {
  readonly isUsageWanted: boolean
  readonly signal: AbortSignal
}

/**
 * The answer as server-sent events. Waits for its first piece, so that what fails before that is an error with a
 * status of its own. A piece is asked for only when there is room for it, and when the reader leaves, the answer is
 * stopped and stored as far as it came.
 */
export async function eventStream(
  frame: Frame,
  { pieces, stop }: Answering,
  { isUsageWanted, signal }: StreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  let isLeft = false
  const leave = async () => {
    isLeft = true
    signal.removeEventListener('abort', leave)
    stop()
    await pieces.return().catch(warn)
  }
  let next: IteratorResult<Piece, void> | null = await pieces.next()
  const encoder = new TextEncoder()
  const lines = (events: readonly object[]) =>
    encoder.encode(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''))
  // Whoever has gone reads nothing, so nobody would ask for the next piece.
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
          end(controller, lines([{ error: toldError(error) }]))
        }
      },
      cancel: leave,
    },
    { highWaterMark: 1 },
  )
}

/** The status is sent: all that can be told is told here. */
function toldError(error: unknown): PalimpsestError {
  if (PalimpsestError.isInstance(error)) return error
  warn(error)
  return new PalimpsestError('unexpected', 'Something unexpected went wrong while the answer was sent.', {})
}

function warn(error: unknown): void {
  process.emitWarning(`An answer: ${String(error)}`, 'PalimpsestWarning')
}
