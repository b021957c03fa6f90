// A server until it is told to end: `serve.js LIBRARY FILE`. Answers "memory" with its resident set.
const [library, file] = process.argv.slice(2)
const { sqlite } = await import(library)
const { startServer } = await import(new URL('./server/index.js', library).href)
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
