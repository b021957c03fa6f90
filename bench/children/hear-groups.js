// A bot hears one message in each of many groups, and answers none: `hear-groups.js LIBRARY FILE ROUNDS GROUPS`. Prints
// the heap in bytes after each round, and then with as many chats as in one round that all wait for their answers.
const CALLERS = 16
const LONG_MS = 2 ** 31 - 1
const [library, file, rounds, groups] = process.argv.slice(2)
const { createPalimpsest, sqlite } = await import(library)
const { createRuntime } = await import(packageBeside(library, 'bot'))

const palimpsest = await createPalimpsest({ store: sqlite(file, { durability: 'normal' }) })
const channel = {
  name: 'bench',
  edits: false,
  start: async () => {},
  stop: async () => {},
  send: async () => ({ id: 'sent' }),
}
const runtime = createRuntime({
  palimpsest,
  channels: [channel],
  responder: async () => 'hello',
  inbox: { quietMs: LONG_MS, mostMs: LONG_MS },
})
await runtime.start()

async function hear(kind, first) {
  let next = first
  const call = async () => {
    while (next < first + Number(groups)) {
      const number = next++
      await runtime.receive('bench', {
        kind,
        chat: `chat-${number}`,
        id: `m-${number}`,
        sender: { id: `user-${number}` },
        content: `hello ${number}`,
        at: new Date(),
      })
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
  while (!(await palimpsest.settled({ timeoutMs: 600_000 })));
  // What a first collection sets free, the second one takes.
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

const quiet = []
for (let round = 0; round < Number(rounds); round++) quiet.push(await hear('group', round * Number(groups)))
const waiting = await hear('private', Number(rounds) * Number(groups))
process.stdout.write(JSON.stringify({ quiet, waiting }))
await runtime.stop()
await palimpsest.close()
