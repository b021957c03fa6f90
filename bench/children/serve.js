// A server until it is told to end: `serve.js LIBRARY FILE`. Answers "memory" with its resident set.
import { packageBeside } from './beside.ts'

const [library, file] = process.argv.slice(2)
const { sqlite } = await import(library)
const { startServer } = await import(packageBeside(library, 'server'))
const server = await startServer({ store: sqlite(file), port: 0 })
process.on('message', async message => {
  if (message === 'memory') {
    globalThis.gc?.()
    process.send({ rss: process.memoryUsage.rss() })
    return
  }
  await server.close()
  process.disconnect()
})
process.send({ port: server.port })
