import type { ClientBase } from 'pg'
import type { PgBoss } from 'pg-boss'
import type { FoldJob, ForgetStep, JobClaim, QueueStep } from '../sql/steps.ts'
import { DEAD_FOLDS, FOLDS, jobsSchema, keyOfJob, openBoss, type QueuePlace } from './boss.ts'

/** The store's end of the queue. All its work is done in a transaction of the store. */
export class FoldQueue {
  readonly #boss: PgBoss
  readonly #wake: string
  readonly #bury: string

  private constructor(boss: PgBoss, { schema }: QueuePlace) {
    this.#boss = boss
    // The update uses the index that limits a session to one job.
    this.#wake = `UPDATE ${jobsSchema(schema)}.job SET start_after = now()
      WHERE name = '${FOLDS}' AND COALESCE(singleton_key, '') = $1 AND policy = 'exclusive'
        AND state = 'retry' AND start_after > now()`
    this.#bury = `DELETE FROM ${jobsSchema(schema)}.job WHERE name = '${DEAD_FOLDS}' AND data = $1`
  }

  static async open(place: QueuePlace, { migrates }: { readonly migrates: boolean }): Promise<FoldQueue> {
    return new FoldQueue(await openBoss(place, 'sender', { migrates }), place)
  }

  async take(step: Exclude<QueueStep, ForgetStep>, client: ClientBase): Promise<void> {
    if ('send' in step) await this.#send(step.send, client)
    else await this.#complete(step.complete, step.session, client)
  }

  /** The job exists exactly if the append does. */
  async #send(job: FoldJob, client: ClientBase): Promise<void> {
    const singletonKey = keyOfJob(job)
    const sent = await this.#boss.send(FOLDS, job, { singletonKey, db: executing(client) })
    // The session has a job already. If that job waits to be tried again, the new trigger may be more urgent,
    // so it is woken.
    if (sent === null) await client.query(this.#wake, [singletonKey])
  }

  /**
   * If another worker was given the job since, because the job seemed to be left, that worker keeps it. A
   * session with nothing left to do has no job that was given up either.
   */
  async #complete(claim: JobClaim, session: FoldJob, client: ClientBase): Promise<void> {
    await this.#boss.complete(FOLDS, claim, undefined, { db: executing(client) })
    await client.query(this.#bury, [session])
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false })
  }
}

function executing(client: ClientBase) {
  return { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
}
