import type { Driver } from '../../packages/palimpsest/src/store/sql/driver.ts'
import type { Answered, Query, Steps } from '../../packages/palimpsest/src/store/sql/steps.ts'

/** Every statement that a store issues, once, with the parameters that it had first. */
export class Statements {
  readonly #queries = new Map<string, Query>()

  add(query: Query): void {
    // A job is the queue's to write.
    if (query.job === undefined && !this.#queries.has(query.sql)) this.#queries.set(query.sql, query)
  }

  get all(): readonly Query[] {
    return [...this.#queries.values()]
  }
}

/** Does what another driver does, and notes what it was asked for. */
export function recording(driver: Driver, statements: Statements): Driver {
  const noted = <Result>(steps: () => Steps<Result>) =>
    function* (): Steps<Result> {
      const inner = steps()
      let next = inner.next()
      while (!next.done) {
        for (const query of [next.value].flat()) statements.add(query)
        let answered: Answered
        try {
          answered = yield next.value
        } catch (error) {
          next = inner.throw(error)
          continue
        }
        next = inner.next(answered)
      }
      return next.value
    }
  return {
    name: driver.name,
    dialect: driver.dialect,
    open: () => driver.open(),
    close: () => driver.close(),
    read: steps => driver.read(noted(steps)),
    write: steps => driver.write(noted(steps)),
    scrub: onScrub => driver.scrub(onScrub),
  }
}
