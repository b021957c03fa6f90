import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Benchmark, BenchmarkOptions, Figure } from './benchmark.ts'
import { compileLibrary } from './compile.ts'
import { type Load, load } from './http-load.ts'
import { interleave, median, medianRatio } from './measure.ts'
import { runNode } from './run-node.ts'

const CONNECTIONS = 50
const SESSIONS = 200
const TEXT = 'Shall we meet at the harbour on Friday, or rather at the café where we were last week?'
/** Of the requests by which memory is judged, one in so many is a context. */
const CONTEXT_EVERY = 10
const MEMORY_SESSIONS = 5_000

/** What HTTP costs over the same calls in process, and whether memory grows with the requests that were answered. */
export const server: Benchmark = {
  name: 'server',
  async run(options) {
    return { figures: [...(await speed(options)), ...(await memory(options))] }
  },
}

async function speed({ quick, fixtures, progress }: BenchmarkOptions): Promise<readonly Figure[]> {
  progress(`server: ${CONNECTIONS} connections, against ${CONNECTIONS} callers in process`)
  const [appends, contexts] = quick ? [2_000, 1_000] : [20_000, 10_000]
  const [overHttp, inProcess] = [fixtures.newFile(), fixtures.newFile()]
  const library = compileLibrary(fixtures.folder)
  await using served = await serve(library, overHttp)
  const rounds = quick ? 2 : 5
  const appended = await interleave<'http' | 'process', Pick<Load, 'perSecond' | 'p99'>>(rounds, {
    http: () => load(served.port, { requests: appends, connections: CONNECTIONS, next: append }),
    process: () => callInProcess({ library, file: inProcess }, 'append', appends),
  })
  const read = await interleave<'http' | 'process', Pick<Load, 'perSecond' | 'p99'>>(rounds, {
    http: () => load(served.port, { requests: contexts, connections: CONNECTIONS, next: context }),
    process: () => callInProcess({ library, file: inProcess }, 'context', contexts),
  })
  return [
    ...figuresOf('appends', appended.http, appended.process),
    ...figuresOf('contexts', read.http, read.process),
  ]
}

type Measured = readonly Pick<Load, 'perSecond' | 'p99'>[]

function figuresOf(what: string, http: Measured, inProcess: Measured): readonly Figure[] {
  const [rates, own] = [http, inProcess].map(all => all.map(({ perSecond }) => perSecond))
  const p99 = (all: Measured) => median(all.map(each => each.p99))
  return [
    { name: `${what} over HTTP / in process`, value: medianRatio(rates!, own!), unit: 'ratio' },
    { name: `${what} over HTTP`, value: median(rates!), unit: 'per second' },
    { name: `${what} in process`, value: median(own!), unit: 'per second' },
    { name: `${what} over HTTP, p99`, value: p99(http), unit: 'ms' },
    { name: `${what} in process, p99`, value: p99(inProcess), unit: 'ms' },
  ]
}

async function memory({ quick, fixtures, progress }: BenchmarkOptions): Promise<readonly Figure[]> {
  const [few, many] = quick ? [2_000, 20_000] : [10_000, 500_000]
  await using served = await serve(compileLibrary(fixtures.folder), fixtures.newFile())
  const next = (place: number) =>
    place % CONTEXT_EVERY === 0 ? context(place, MEMORY_SESSIONS) : append(place, MEMORY_SESSIONS)
  const send = (requests: number) => load(served.port, { requests, connections: CONNECTIONS, next })
  // So that there is something to make contexts of.
  await load(served.port, {
    requests: MEMORY_SESSIONS,
    connections: CONNECTIONS,
    next: place => append(place, MEMORY_SESSIONS),
  })
  progress(`server: ${few.toLocaleString('en')} requests`)
  await send(few)
  const first = await served.memory()
  progress(`server: ${many.toLocaleString('en')} requests`)
  await send(many - few)
  const last = await served.memory()
  return [
    { name: `memory after ${many} / after ${few} requests`, value: last / first, unit: 'ratio' },
    { name: `memory after ${few} requests`, value: first / 2 ** 20, unit: 'MB' },
    { name: `memory after ${many} requests`, value: last / 2 ** 20, unit: 'MB' },
  ]
}

function append(place: number, sessions = SESSIONS) {
  const role = place % 2 ? 'assistant' : 'user'
  return {
    path: `/v1/sessions/chat-${place % sessions}/messages`,
    body: JSON.stringify({ role, text: TEXT }),
  }
}

function context(place: number, sessions = SESSIONS) {
  return { path: `/v1/sessions/chat-${place % sessions}/context`, body: '{}' }
}

async function callInProcess(
  { library, file }: { library: string; file: string },
  kind: 'append' | 'context',
  calls: number,
) {
  const child = fileURLToPath(import.meta.resolve('./children/call-in-process.js'))
  const { output } = await runNode([
    child,
    library,
    file,
    kind,
    ...[calls, CONNECTIONS, SESSIONS].map(String),
  ])
  return JSON.parse(output) as Pick<Load, 'perSecond' | 'p99'>
}

interface Served extends AsyncDisposable {
  readonly port: number
  memory(): Promise<number>
}

async function serve(library: string, file: string): Promise<Served> {
  const child = fork(fileURLToPath(import.meta.resolve('./children/serve.js')), [library, file], {
    execArgv: ['--expose-gc'],
  })
  const { port } = await answer<{ port: number }>(child)
  return {
    port,
    memory: async () => {
      child.send('memory')
      return (await answer<{ rss: number }>(child)).rss
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      child.send('end')
      await exited
    },
  }
}

async function answer<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message')
  return message as Message
}
