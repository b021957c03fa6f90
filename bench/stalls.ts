import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg, platform } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Benchmark, Figure } from './benchmark.ts'
import { compileLibrary } from './compile.ts'
import { type Load, load } from './http-load.ts'
import { FEW_INPUTS, WORST_INPUTS, type WorstInput } from './stalls/worst-inputs.ts'

const CONNECTIONS = 64
const SESSIONS = 64
const TEXT = 'Shall we meet at the harbour on Friday, or rather at the café where we were last week?'
/** How long the others call alone, before and after the one that sends the worst. */
const ALONE_MS = 10_000
const QUICK_ALONE_MS = 3_000
const WARM_UP_MS = 5_000
/** What an input leaves for the background, such as the index, is its doing as well. */
const AFTER_MS = 1_000
/** Without a rest the others keep the server busy all the time, and what is measured is how many of them there are. */
const REST_MS = 200

/**
 * How long a server stops, and how long others wait for their answers, while one client sends the worst that it takes.
 * 64 connections append, read contexts and search meanwhile, about 300 calls a second, half of what the server can do;
 * the same without that client, before and after, says what the machine itself does.
 */
export const stalls: Benchmark = {
  name: 'stalls',
  onlyByName: true,
  async run({ quick, fixtures, progress }) {
    const begun = coreTimes()
    await using served = await serveWatched(compileLibrary(fixtures.folder), fixtures.newFile())
    const { port } = served
    await using client = startClient(port)
    await load(port, { requests: 4 * SESSIONS, connections: CONNECTIONS, next: place => append(place) })
    const aloneMs = quick ? QUICK_ALONE_MS : ALONE_MS
    // Code that has just been loaded is slow, and says nothing about the machine.
    await during(served, () => pause(WARM_UP_MS))
    progress(`stalls: ${CONNECTIONS} connections alone`)
    const before = await during(served, () => pause(aloneMs))
    const inputs: { readonly name: string; readonly stop: Stop }[] = []
    const chosen = quick ? FEW_INPUTS : WORST_INPUTS
    const beside = await during(served, async () => {
      for (const input of chosen) {
        await served.stop()
        const status = await client.send(input)
        await pause(AFTER_MS)
        const stop = await served.stop()
        inputs.push({ name: input.name, stop })
        progress(
          `stalls: ${input.name}: ${status}, ${stop.longestMs.toFixed(0)} ms, ${stop.longestCpuMs.toFixed(0)} ms of the processor's`,
        )
      }
    })
    progress(`stalls: ${CONNECTIONS} connections alone once more`)
    const after = await during(served, () => pause(aloneMs))
    const longest = (of: (stop: Stop) => number) => Math.max(...inputs.map(({ stop }) => of(stop)))
    const alone = (of: (measured: Measured) => number) => (of(before) + of(after)) / 2
    const worst = inputs.toSorted((one, other) => other.stop.longestCpuMs - one.stop.longestCpuMs).slice(0, 8)
    return {
      figures: [
        {
          name: 'longest stop with that client',
          value: longest(stop => stop.longestMs),
          unit: 'ms',
          aim: { atMost: 100 },
        },
        { name: 'of it the processor worked', value: longest(stop => stop.longestCpuMs), unit: 'ms' },
        { name: 'longest stop without it', value: alone(({ stop }) => stop.longestMs), unit: 'ms' },
        {
          name: 'of it the processor worked, without it',
          value: alone(({ stop }) => stop.longestCpuMs),
          unit: 'ms',
        },
        {
          name: 'p99 of the others, with / without',
          value: beside.load.p99 / alone(({ load }) => load.p99),
          unit: 'ratio',
          aim: { atMost: 3 },
        },
        { name: 'p50 of the others, with it', value: beside.load.p50, unit: 'ms' },
        { name: 'p50 of the others, without it', value: alone(({ load }) => load.p50), unit: 'ms' },
        { name: 'p99 of the others, with it', value: beside.load.p99, unit: 'ms' },
        { name: 'p99 of the others, without it', value: alone(({ load }) => load.p99), unit: 'ms' },
        { name: 'others answered, with it', value: beside.load.perSecond, unit: 'per second' },
        {
          name: 'others answered, without it',
          value: alone(({ load }) => load.perSecond),
          unit: 'per second',
        },
        {
          name: "the machine's load / its cores",
          value: loadavg()[0]! / availableParallelism(),
          unit: 'ratio',
        },
        { name: 'of the time of its cores its host took', value: takenByHost(begun), unit: 'ratio' },
        ...worst.map(
          ({ name, stop }): Figure => ({
            name: `the processor worked on: ${name}`,
            value: stop.longestCpuMs,
            unit: 'ms',
          }),
        ),
      ],
    }
  },
}

interface Measured {
  readonly load: Load
  readonly stop: Stop
}

/** What the others see while something goes on. */
async function during(served: Watched, action: () => Promise<unknown>): Promise<Measured> {
  let isOver = false
  await served.stop()
  const loading = load(served.port, {
    requests: () => !isOver,
    connections: CONNECTIONS,
    next,
    restMs: REST_MS,
  })
  await action().finally(() => {
    isOver = true
  })
  return { load: await loading, stop: await served.stop() }
}

/** Of ten calls six append, three read a context and one searches. */
function next(place: number) {
  const kind = place % 10
  if (kind < 6) return append(place)
  const path = `/v1/sessions/chat-${place % SESSIONS}`
  if (kind < 9) return { path: `${path}/context`, body: '{}' }
  return { method: 'GET' as const, path: `${path}/search?q=harbour`, body: '' }
}

function append(place: number) {
  const role = place % 2 ? 'assistant' : 'user'
  return {
    path: `/v1/sessions/chat-${place % SESSIONS}/messages`,
    body: JSON.stringify({ role, text: TEXT }),
  }
}

/** A virtual machine does not notice when its host gives a core to others: by the clock it looks like a stop of ours. */
function takenByHost(begun: readonly number[]): number {
  const passed = coreTimes().map((ticks, place) => ticks - begun[place]!)
  const all = passed.reduce((sum, ticks) => sum + ticks, 0)
  return all > 0 ? (passed[STEAL] ?? 0) / all : 0
}

/** What the cores did, in ticks: user, nice, system, idle, waiting for the disk, interrupts of two kinds, taken by the host. */
function coreTimes(): readonly number[] {
  if (platform() !== 'linux') return []
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  return first.split(/ +/).slice(1, 9).map(Number)
}

const STEAL = 7

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

interface Stop {
  readonly longestMs: number
  readonly longestCpuMs: number
}

export interface Watched extends AsyncDisposable {
  readonly port: number
  /** The longest since it was asked last. */
  stop(): Promise<Stop>
}

/** A server in a process of its own that says how long its event loop stopped. */
export async function serveWatched(library: string, file: string): Promise<Watched> {
  const child = fork(fileURLToPath(import.meta.resolve('./children/serve-watched.ts')), [library, file])
  const { port } = await answer<{ port: number }>(child)
  return {
    port,
    stop: () => {
      child.send('stop')
      return answer<Stop>(child)
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      child.send('end')
      await exited
    },
  }
}

/** The one that sends the worst, in a process of its own. */
function startClient(port: number) {
  const child = fork(fileURLToPath(import.meta.resolve('./children/send-worst.ts')), [String(port)])
  return {
    send: (input: WorstInput) => {
      child.send(input.name)
      return answer<number | string>(child)
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

async function answer<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message')
  return message as Message
}
