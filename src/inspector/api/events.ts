import { createValue } from '../state/value.ts'
import { isAbort } from './api-error.ts'
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
const LONGEST_PAUSE_MS = 10_000

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
  while (!signal.aborted) {
    try {
      const headers = { ...(lastId !== null && { 'last-event-id': lastId }) }
      const response = await send('GET', '/v1/events', { headers, signal })
      connection.set('live')
      pause = FIRST_PAUSE_MS
      for await (const block of blocksOf(response)) {
        lastId = /^id: (.*)$/m.exec(block)?.[1] ?? lastId
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data !== undefined) tell(JSON.parse(data) as ServerEvent)
      }
    } catch (error) {
      if (isAbort(error)) return
    }
    if (signal.aborted) return
    connection.set('lost')
    await new Promise(resolve => setTimeout(resolve, pause))
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
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
