import { readFileSync } from 'node:fs'
import { messageAt, messagesFrom } from '../corpus.ts'
import type { Context } from './contestant.ts'
import { contestantNamed } from './contestants.ts'
import type { Appends, Bounds, ChildTask, Contexts, Reply, Request, Resident } from './protocol.ts'

/** One contestant, in a process of its own: `child.ts TASK`, which is a `ChildTask` in JSON. */
const task = JSON.parse(process.argv[2]!) as ChildTask
const contestant = contestantNamed(task.contestant)
const { open } = await contestant.load()
const opened = await open(task.place, contestant.variant)
const send = (reply: Reply) => void process.send!(reply)
let stored = task.size
// Nobody is left who would ask.
process.once('disconnect', () => process.exit(0))

if (task.mode === 'start') {
  await opened.context()
  send({ kind: 'started', resident: resident() })
  process.once('message', () => process.exit(0))
} else {
  process.on('message', async (request: Request) => {
    try {
      send({ kind: 'done', id: request.id, value: await carryOut(request) })
    } catch (error) {
      send({ kind: 'failed', id: request.id, message: String((error as Error).stack ?? error) })
    }
    if (request.name === 'close') process.disconnect?.()
  })
  send({ kind: 'started', resident: resident() })
}

async function carryOut(request: Request): Promise<unknown> {
  switch (request.name) {
    case 'warmUp':
      return warmUp(request.takes.ms)
    case 'fill':
      return fill(request.takes.size)
    case 'appends':
      return measureAppends(request.takes)
    case 'settle':
      return settle()
    case 'contexts':
      return measureContexts(request.takes)
    case 'durability':
      return opened.readDurability()
    case 'memory':
      return resident()
    case 'close':
      return closeOpened()
  }
}

/** Somewhere else, so that the compiler of JavaScript has seen it all before the clock runs. */
async function warmUp(ms: number): Promise<null> {
  const scratch = await open(task.scratch, contestant.variant)
  await scratch.fill(messagesFrom(0, 100), () => {})
  const end = performance.now() + ms
  for (let index = 100; performance.now() < end; index++) {
    await scratch.append(messageAt(index))
    if (index % 4 === 0) {
      await scratch.settle?.()
      await scratch.context()
    }
  }
  await scratch.close()
  return null
}

async function fill(size: number): Promise<{ ms: number }> {
  const start = performance.now()
  await opened.fill(messagesFrom(0, size), count => send({ kind: 'filled', stored: count }))
  stored = size
  return { ms: performance.now() - start }
}

async function measureAppends({ most, ms }: Bounds): Promise<Appends> {
  const messages = messagesFrom(stored, most)
  const before = writtenBytes()
  const start = performance.now()
  let appends = 0
  while (appends < most && (appends === 0 || performance.now() - start < ms)) {
    await opened.append(messages[appends]!)
    appends += 1
  }
  const took = performance.now() - start
  const after = writtenBytes()
  stored += appends
  return { appends, ms: took, written: before === null || after === null ? null : after - before }
}

/** What is left to do after many appends, and whether the last of them is there. */
async function settle(): Promise<null> {
  await opened.settle?.()
  check(await opened.context())
  return null
}

/** A message comes in, which is not timed, and the model is to be asked, which is. */
async function measureContexts({ most, ms }: Bounds): Promise<Contexts> {
  const times: number[] = []
  let made: Context | null = null
  const begin = performance.now()
  while (times.length < most && (times.length === 0 || performance.now() - begin < ms)) {
    await opened.append(messageAt(stored++))
    await opened.settle?.()
    const start = performance.now()
    made = await opened.context()
    times.push(performance.now() - start)
  }
  const { messages, hasSummary } = check(made!)
  return { times, messages, hasSummary }
}

/** Whoever does not give the newest message back is not quick but wrong. */
function check(made: Context): Context {
  const { text } = messageAt(stored - 1)
  if (!made.newest.includes(text))
    throw new Error(
      `The newest message is not in the context of ${contestant.name}: ${made.newest.slice(0, 80)}`,
    )
  return made
}

async function closeOpened(): Promise<null> {
  await opened.close()
  return null
}

/** What was given to `write` and its like: the same for everybody, whatever the page cache does with it. */
function writtenBytes(): number | null {
  return readNumber('/proc/self/io', /^wchar: (\d+)$/m)
}

function resident(): Resident {
  const peak = readNumber('/proc/self/status', /^VmHWM:\s+(\d+) kB$/m)
  return { now: process.memoryUsage.rss(), peak: peak === null ? null : peak * 1_024 }
}

function readNumber(file: string, pattern: RegExp): number | null {
  try {
    const [, digits] = pattern.exec(readFileSync(file, 'utf8')) ?? []
    return digits === undefined ? null : Number(digits)
  } catch {
    return null
  }
}
