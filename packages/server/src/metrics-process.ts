import { Gauge, type Registry } from 'prom-client'

const STARTED_AT = Math.round(performance.timeOrigin / 1000)

/**
 * Metrics of the whole process, under the names that dashboards know. They tell nothing about any namespace.
 */
export function processMetrics(registry: Registry): void {
  const registers = [registry]
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process began, in seconds since 1970',
    registers,
    collect() {
      this.set(STARTED_AT)
    },
  })
  new Gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'How long something that was due had to wait, just now',
    registers,
    async collect() {
      const asked = performance.now()
      await new Promise(resolve => setImmediate(resolve))
      this.set((performance.now() - asked) / 1000)
    },
  })
}
