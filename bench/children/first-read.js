// Opens an existing database and reads what a context is made of: `first-read.js LIBRARY FILE SESSION`.
const [library, file, session] = process.argv.slice(2)
const { sqlite } = await import(library)
const store = sqlite(file)
await store.open()
const source = await store.readContext({ namespace: 'default', id: session }, { messages: 40 })
if (source?.messages.length !== 40) throw new Error('The context is not there.')
await store.close()
