// The calls that the server's benchmark makes, without HTTP: so many appends or contexts by so many callers at once.
const [library, file, kind, calls, callers, sessions] = process.argv.slice(2)
const { createPalimpsest, sqlite } = await import(library)
const palimpsest = await createPalimpsest({ store: sqlite(file) })
const text = 'Shall we meet at the harbour on Friday, or rather at the café where we were last week?'
let made = 0
const times = []
const chatOf = place => palimpsest.session(`chat-${place % Number(sessions)}`)
const call = async () => {
  while (made < Number(calls)) {
    const place = made++
    const start = performance.now()
    if (kind === 'append')
      await chatOf(place).append({ role: place % 2 ? 'assistant' : 'user', content: text })
    else await chatOf(place).context({})
    times.push(performance.now() - start)
  }
}
const begin = performance.now()
await Promise.all(Array.from({ length: Number(callers) }, call))
const ms = performance.now() - begin
await palimpsest.close()
times.sort((a, b) => a - b)
console.log(
  JSON.stringify({ perSecond: (Number(calls) * 1000) / ms, p99: times[Math.floor(times.length * 0.99)] }),
)
