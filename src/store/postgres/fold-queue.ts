import type { ClientBase } from 'pg'
import type { PgBoss } from 'pg-boss'
import type { FoldJob } from '../sql/steps.ts'
import { FOLDS, keyOfJob, openBoss, type QueuePlace } from './boss.ts'

/** The end of the queue at which appends put their folds in. */
export class FoldQueue {
  readonly #boss: PgBoss

  private constructor(boss: PgBoss) {
    this.#boss = boss
  }

  static async open(place: QueuePlace): Promise<FoldQueue> {
    return new FoldQueue(await openBoss(place, 'sender'))
  }

  /** In the transaction of that client: the job is there exactly if the append is. */
  async send(job: FoldJob, client: ClientBase): Promise<void> {
    await this.#boss.send(FOLDS, job, {
      singletonKey: keyOfJob(job),
      db: { executeSql: (text, values) => client.query(text, values) },
    })
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false })
  }
}
