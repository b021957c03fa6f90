import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../packages/server/src/index.ts'
import { sqlitePlace } from '../stores.ts'

test('what is not even HTTP is answered in the same shape', async () => {
  const place = sqlitePlace()
  const server = await startServer({ store: await place.open(), port: 0 })
  onTestFinished(async () => {
    await server.close()
    await place.remove()
  })
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET /v1/search?q=发布 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n.*x-request-id: /s)
  expect(JSON.parse(answer.split('\r\n\r\n')[1]!).error.code).toBe('malformed_request')
})
