// A server until it is told to end: `serve-watched.ts LIBRARY FILE`, where the library is the sources or a build of them.
// Answers "stop" with the longest stop of its event loop since it was asked last, by the clock and of the processor's
// time: where others keep the machine busy, the first says what they did and the second what the server did.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { packageBeside } from './beside.ts'

const RESOLUTION_MS = 2

const [library, file] = process.argv.slice(2) as [string, string]
const { sqlite } = await import(library)
const { startServer } = await import(packageBeside(library, 'server'))
const server = await startServer({ store: sqlite(file), port: 0 })
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
let longestCpuMs = 0
let lastCpuMs = cpuMs()
setInterval(() => {
  const now = cpuMs()
  longestCpuMs = Math.max(longestCpuMs, now - lastCpuMs)
  lastCpuMs = now
}, RESOLUTION_MS).unref()

process.on('message', async message => {
  if (message === 'stop') {
    // What is measured is the time between two looks, so that one that was not held up counts as its pause.
    const longestMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS)
    process.send!({ longestMs, longestCpuMs })
    delay.reset()
    longestCpuMs = 0
    return
  }
  await server.close()
  process.disconnect()
})
process.send!({ port: server.port })

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
