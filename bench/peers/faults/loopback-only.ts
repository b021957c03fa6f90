import { Socket } from 'node:net'

/**
 * Nothing here may leave the machine: not a model, not a peer's telemetry. Import it before anything else; a
 * connection to anywhere else fails, and so does the name of it.
 */
const LOOPBACK = ['127.0.0.1', 'localhost', '::1']

interface Target {
  readonly host?: string | null
  readonly path?: string
}

const connect = Socket.prototype.connect as (...values: unknown[]) => Socket

Socket.prototype.connect = function (this: Socket, ...values: unknown[]) {
  // Node itself passes a list of its own making.
  const [first, second] = Array.isArray(values[0]) ? values[0] : values
  const target: Target = typeof first === 'object' ? (first as Target) : { host: second as string }
  const host = target.host ?? 'localhost'
  if (target.path === undefined && !LOOPBACK.includes(host)) {
    process.send?.({ reached: host })
    throw new Error(`No connection to ${host}: loopback only.`)
  }
  return connect.apply(this, values)
} as typeof Socket.prototype.connect

Object.assign(process.env, {
  MASTRA_TELEMETRY_DISABLED: '1',
  MEM0_TELEMETRY: 'false',
  LANGSMITH_TRACING: 'false',
  LANGCHAIN_TRACING_V2: 'false',
  OPENAI_AGENTS_DISABLE_TRACING: '1',
})
