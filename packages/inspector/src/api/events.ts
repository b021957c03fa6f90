import { createValue } from '../state/value.ts'
import { ApiError } from './api-error.ts'
import { send } from './call.ts'
import { apiKey } from './key.ts'
import type { ServerEvent } from './types.ts'

/**
 * What happens on the server, over one connection for the whole page. The first listener opens it. When it
 * breaks off, the page opens it again. No event is missed in between, since the server continues after the
 * last id.
 */
type Listener = (event: ServerEvent) => void

/** `lost`: until the connection is back, the page may show old values. */
export const connection = createValue<'connecting' | 'live' | 'lost'>('connecting')

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
/**
 * The server sends something every 15 s. After such a silence it is gone, even if the connection is still
 * open.
 */
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

// Another key may mean another namespace, with other events.
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
  // Once the reader has closed the dialog, the page does not ask for a key again every few seconds.
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

/** The blocks of a stream of server-sent events. A proxy may change the line ends. */
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
