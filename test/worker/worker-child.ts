/** A worker in a process of its own, which says how each of its folds ended, one JSON a line. */
import { loadModel } from '../../packages/palimpsest/src/config/load-model.ts'
import { count, createPalimpsest } from '../../packages/palimpsest/src/index.ts'
import { postgres } from '../../packages/palimpsest/src/store/postgres/index.ts'
import { FoldWorker } from '../../packages/palimpsest/src/worker/worker.ts'

const [url, schema, modelUrl, leaseMs] = process.argv.slice(2) as [string, string, string, string]
const store = postgres(url, { schema, connections: 4, queue: true })
const palimpsest = await createPalimpsest({
  store,
  policy: count({ threshold: 10, keepLast: 2 }),
  summarizer: await loadModel('openai-compatible:scripted', { modelBaseUrl: modelUrl, modelApiKey: 'test' }),
  memory: { extract: 'off' },
  folding: 'worker',
  foldLeaseMs: Number(leaseMs),
  onFold: outcome => process.stdout.write(`${JSON.stringify(outcome)}\n`),
})
await FoldWorker.start({ place: { url, schema }, store, instanceOf: async () => palimpsest })
process.stdout.write('{"ready":true}\n')
