// Opens an existing database and reads what a context is made of: `first-read.js LIBRARY FILE SESSION`.
const [library, file, session] = process.argv.slice(2)
const { sqlite } = await import(library)
const store = sqlite(file)
await store.open()
// An earlier version has no ports.
const source = await (store.context ?? store).readContext(
  { namespace: 'default', id: session },
  { tokens: 2_000, archivedTokens: 0 },
)
if (!source?.messages.length) throw new Error('The context is not there.')
await store.close()
