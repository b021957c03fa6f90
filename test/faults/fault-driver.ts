import type { Driver } from '../../packages/palimpsest/src/store/sql/driver.ts'
import type { Steps } from '../../packages/palimpsest/src/store/sql/steps.ts'

/** Called before each step that a driver takes: the n-th query, or the end of a transaction. */
export type Fault = (step: number) => void

/** A real driver on a real database whose every step can be made to fail, or to be the process's last. */
export function faultyDriver(driver: Driver, fault: Fault): Driver {
  let step = 0
  const next = () => fault(++step)
  function* watched<Result>(steps: Steps<Result>): Steps<Result> {
    let result = steps.next()
    while (!result.done) {
      next()
      const rows = yield result.value
      result = steps.next(rows)
    }
    // All is written, nothing is committed yet.
    next()
    return result.value
  }
  const committed = <Result>(result: Result): Result => {
    // Committed, but nobody has been told.
    next()
    return result
  }
  return {
    name: driver.name,
    dialect: driver.dialect,
    open: () => driver.open(),
    close: () => driver.close(),
    read: steps => driver.read(() => watched(steps())),
    write: steps => driver.write(() => watched(steps())).then(committed),
    scrub: onScrub => driver.scrub(onScrub),
  }
}
