import { createValue } from '../state/value.ts'
import { ApiError } from './api-error.ts'
import { send } from './call.ts'
import { apiKey } from './key.ts'
import type { ServerEvent } from './types.ts'

/**
 * What happens on the server, over one connection for the whole page. It is opened with the first listener, and
 * opened again where it broke off: nothing is missed in between, since the server goes on after the last id.
 */
type Listener = (event: ServerEvent) => void

/** `lost`: what is shown may be old until it comes back. */
export const connection = createValue<'connecting' | 'live' | 'lost'>('connecting')

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
/** The server says something every 15 s: after such a silence it is gone, though nobody has hung up. */
const MAX_SILENCE_MS = 45_000

const listeners = new Set<Listener>()
let running: AbortController | null = null

export function listen(listener: Listener): () => void {
  listeners.add(listener)
  if (running === null) start()
  return () => {
    listeners.delete(listener)
  }
}

// With another key there is another namespace to hear of.
apiKey.watch(() => {
  if (running === null) return
  running.abort()
  start()
})

function start(): void {
  running = new AbortController()
  void follow(running.signal)
}

async function follow(signal: AbortSignal): Promise<void> {
  let lastId: string | null = null
  let pause = FIRST_PAUSE_MS
  // Whoever has closed the dialog is not asked for a key every few seconds.
  let whenRefused: 'ask' | 'fail' = 'ask'
  while (!signal.aborted) {
    const silence = silenceAlarm()
    try {
      const headers = { ...(lastId !== null && { 'last-event-id': lastId }) }
      const response = await send('GET', '/v1/events', {
        headers,
        signal: AbortSignal.any([signal, silence.signal]),
        whenRefused,
      })
      connection.set('live')
      pause = FIRST_PAUSE_MS
      whenRefused = 'ask'
      for await (const block of blocksOf(response)) {
        silence.putOff()
        lastId = /^id: (.*)$/m.exec(block)?.[1] ?? lastId
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (/^event: begin-anew$/m.test(block)) location.reload()
        else if (data !== undefined) tell(JSON.parse(data) as ServerEvent)
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) whenRefused = 'fail'
    } finally {
      silence.stop()
    }
    if (signal.aborted) return
    connection.set('lost')
    await new Promise(resolve => setTimeout(resolve, pause))
    pause = Math.min(pause * 2, MAX_PAUSE_MS)
  }
}

function silenceAlarm() {
  const controller = new AbortController()
  const start = () => setTimeout(() => controller.abort(), MAX_SILENCE_MS)
  let timer = start()
  return {
    signal: controller.signal,
    putOff() {
      clearTimeout(timer)
      timer = start()
    },
    stop: () => clearTimeout(timer),
  }
}

function tell(event: ServerEvent): void {
  for (const listener of [...listeners]) listener(event)
}

/** Of a stream of server-sent events; what a proxy makes of line ends does not matter. */
export async function* blocksOf(response: Response): AsyncGenerator<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split(/\r?\n\r?\n/)
      rest = blocks.pop()!
      yield* blocks
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
