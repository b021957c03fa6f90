import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'

export interface AnsweringTransport extends Transport {
  /** Resolves when all requests so far are answered. */
  answered(): Promise<void>
}

type Id = string | number

/**
 * A transport that knows which requests it has not answered yet. `onClose` is called when the wire closes.
 */
export function answering(wire: Transport, onClose: () => void): AnsweringTransport {
  const open = new Set<Id>()
  let notify = () => {}
  const settle = (id: unknown) => {
    open.delete(id as Id)
    if (open.size === 0) notify()
  }
  const transport: AnsweringTransport = {
    start: () => {
      wire.onmessage = (message, extra) => {
        if ('method' in message && 'id' in message) open.add(message.id)
        transport.onmessage?.(message, extra)
        // The client no longer waits for a cancelled request, and it gets no answer.
        const cancelled = cancelledId(message)
        if (cancelled !== undefined) settle(cancelled)
      }
      wire.onerror = error => transport.onerror?.(error)
      wire.onclose = () => {
        transport.onclose?.()
        onClose()
      }
      return wire.start()
    },
    send: (message, options) =>
      wire.send(message, options).finally(() => {
        if (!('method' in message)) settle(message.id)
      }),
    close: () => wire.close(),
    answered: () =>
      new Promise(resolve => {
        notify = resolve
        // Messages that have just arrived are counted by then.
        setImmediate(() => {
          if (open.size === 0) resolve()
        })
      }),
  }
  return transport
}

function cancelledId(message: JSONRPCMessage): unknown {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  return message.params?.['requestId']
}
