import type { Driver } from '../../packages/palimpsest/src/store/sql/driver.ts'
import type { Steps } from '../../packages/palimpsest/src/store/sql/steps.ts'

/** Does what another driver does, and has PostgreSQL say at the end of each transaction what was read in it. */
export function flushingStatistics(driver: Driver): Driver {
  const flushed = <Result>(steps: () => Steps<Result>) =>
    function* (): Steps<Result> {
      const result = yield* steps()
      yield { sql: 'SELECT pg_stat_force_next_flush()', parameters: [] }
      return result
    }
  return {
    name: driver.name,
    dialect: driver.dialect,
    open: () => driver.open(),
    close: () => driver.close(),
    read: steps => driver.read(flushed(steps)),
    write: (steps, options) => driver.write(flushed(steps), options),
    scrub: onScrub => driver.scrub(onScrub),
  }
}
