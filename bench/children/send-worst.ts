// Sends the worst inputs to a server, each when it is told which: `send-worst.ts PORT`. What it takes to make megabytes
// and to send them is then not taken from those who are measured. Answers with the status.
import { WORST_INPUTS, type WorstInput } from '../stalls/worst-inputs.ts'

const PATIENCE_MS = 120_000

const [port] = process.argv.slice(2)

process.on('message', async (name: string) => {
  process.send!(await send(WORST_INPUTS.find(input => input.name === name)!))
})

async function send({ method, path, body, headers }: WorstInput): Promise<number | string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: body() }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    return String(error)
  }
}
