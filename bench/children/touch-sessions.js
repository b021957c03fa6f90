// One append to each of many sessions: `touch-sessions.js LIBRARY FILE COUNT`. Prints resident memory in bytes.
const CALLERS = 16
const [library, file, count] = process.argv.slice(2)
const { createPalimpsest, sqlite } = await import(library)
const palimpsest = await createPalimpsest({ store: sqlite(file, { durability: 'normal' }) })
await palimpsest.session('warm-up').append({ role: 'user', text: 'hello' })
const before = process.memoryUsage.rss()
let touched = 0
const call = async () => {
  while (touched < Number(count)) {
    const number = touched++
    await palimpsest.session(`chat-${number}`).append({
      role: 'user',
      text: `hello ${number}`,
      sender: { id: `user-${number}` },
      externalId: `m-${number}`,
    })
  }
}
await Promise.all(Array.from({ length: CALLERS }, call))
process.stdout.write(JSON.stringify({ before, after: process.memoryUsage.rss() }))
await palimpsest.close()
