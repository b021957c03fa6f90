import { loadavg } from 'node:os'
import { startPostgres } from '../test/postgres/server.ts'
import type { Benchmark } from './benchmark.ts'
import { measureRates } from './scale/appends.ts'
import { measureLarge } from './scale/large.ts'
import { workerFigures } from './scale/workers.ts'

/** What a server of this size is given by whoever runs it; its defaults are for a very small one. */
const SETTINGS = { shared_buffers: '2GB', max_wal_size: '8GB' }

/** Many sessions, on a server that syncs to the disk. Each group of figures has a function of its own. */
export const scale: Benchmark = {
  name: 'scale',
  onlyByName: true,
  async run(options) {
    options.progress('scale: starting a server')
    const server = await startPostgres({ durable: true, settings: options.quick ? {} : SETTINGS })
    try {
      const rates = await measureRates(server.url, options)
      const folds = await workerFigures(server.url, options)
      const large = await measureLarge(server.url, options)
      const load = {
        name: 'load of the machine at the end',
        value: loadavg()[1]!,
        unit: 'processes',
      } as const
      return { figures: [...rates, ...folds, ...large, load] }
    } finally {
      options.progress('scale: removing it all')
      await server.stop()
    }
  },
}
