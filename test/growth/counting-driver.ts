import type { Driver } from '../../packages/palimpsest/src/store/sql/driver.ts'
import type { Answered, Asked, Query, Row, Steps } from '../../packages/palimpsest/src/store/sql/steps.ts'
import { isMany } from '../../packages/palimpsest/src/store/sql/steps.ts'

/** What a store has asked its database for since the count began. */
export class Count {
  statements = 0
  /** Those that came back. */
  rows = 0
  readonly asked: Query[] = []

  begin(): void {
    this.statements = 0
    this.rows = 0
    this.asked.length = 0
  }

  add(asked: Asked, answered: Answered): void {
    const queries = isMany(asked) ? asked : [asked]
    // A job is the queue's to write.
    for (const query of queries) if (query.job === undefined) this.asked.push(query)
    this.statements += queries.length
    const answers = (isMany(asked) ? answered : [answered]) as readonly (readonly Row[])[]
    for (const rows of answers) this.rows += rows.length
  }
}

/** Does what another driver does, and counts what it was asked for and what came back. */
export function counting(driver: Driver, count: Count): Driver {
  const counted = <Result>(steps: () => Steps<Result>) =>
    function* (): Steps<Result> {
      const inner = steps()
      let next = inner.next()
      while (!next.done) {
        let answered: Answered
        try {
          answered = yield next.value
        } catch (error) {
          next = inner.throw(error)
          continue
        }
        count.add(next.value, answered)
        next = inner.next(answered)
      }
      return next.value
    }
  return {
    name: driver.name,
    dialect: driver.dialect,
    open: () => driver.open(),
    close: () => driver.close(),
    read: steps => driver.read(counted(steps)),
    write: (steps, options) => driver.write(counted(steps), options),
    scrub: onScrub => driver.scrub(onScrub),
  }
}
