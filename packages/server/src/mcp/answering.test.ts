import { InMemoryTransport } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { answering } from './answering.ts'

const request = (id: number) => ({ jsonrpc: '2.0' as const, id, method: 'ping' })

async function connected() {
  const [client, wire] = InMemoryTransport.createLinkedPair()
  let closed = false
  const transport = answering(wire, () => {
    closed = true
  })
  await transport.start()
  await client.start()
  return { client, transport, isClosed: () => closed }
}

/** Whether it has come by the next turn of the loop. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise(resolve => setImmediate(() => setImmediate(() => resolve('later'))))
  return (await Promise.race([promise, later])) !== 'later'
}

test('nothing is owed before something is asked, and nothing after it was answered or called off', async () => {
  const { client, transport } = await connected()
  expect(await isDone(transport.answered())).toBe(true)
  await client.send(request(1))
  await client.send(request(2))
  const answered = transport.answered()
  expect(await isDone(answered)).toBe(false)
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  expect(await isDone(answered)).toBe(false)
  await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
  expect(await isDone(answered)).toBe(true)
})

test('what is sent without being asked for settles nothing, and an end is told', async () => {
  const { client, transport, isClosed } = await connected()
  await client.send(request(1))
  const answered = transport.answered()
  await transport.send({ jsonrpc: '2.0', method: 'notifications/message', params: {} })
  expect(await isDone(answered)).toBe(false)
  await client.close()
  expect(isClosed()).toBe(true)
})
