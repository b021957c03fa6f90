import {
  createPalimpsest,
  type Palimpsest,
  rounds,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import type { Driver } from '../../packages/palimpsest/src/store/sql/driver.ts'
import { SqlStore } from '../../packages/palimpsest/src/store/sql/sql-store.ts'
import { warnOnStderr } from '../../packages/palimpsest/src/store/store.ts'
import { Count, counting } from './counting-driver.ts'
import { MESSAGES_A_FOLD, writePast } from './past.ts'
import { Talk } from './talk.ts'

/** What a chat is asked for, in the order in which it happens. */
export const STEPS = ['append', 'index', 'fold', 'context', 'memory', 'expand', 'search', 'question'] as const
export type Step = (typeof STEPS)[number]

export type Measure = (step: Step, action: () => Promise<unknown>) => Promise<void>

const SESSION = 'aged'
/** When the part begins that is the same in chats of every age. */
const TODAY = Date.UTC(2026, 5, 1)

/**
 * A chat with so much behind it, to which from now on happens what happens to chats of every other age: the same
 * messages at the same times. So whatever it takes more than another comes from its age.
 */
export class AgedChat {
  readonly count: Count
  readonly #palimpsest: Palimpsest
  readonly #chat: Session
  readonly #talk = new Talk(TODAY)

  private constructor(palimpsest: Palimpsest, count: Count) {
    this.#palimpsest = palimpsest
    this.#chat = palimpsest.session(SESSION)
    this.count = count
  }

  /** `folds`: how many it has behind it, of six messages each. */
  static async open(driverOf: () => Driver, { folds }: { folds: number }): Promise<AgedChat> {
    await writePast(driverOf(), { session: SESSION, folds, talk: new Talk(TODAY, folds * MESSAGES_A_FOLD) })
    const count = new Count()
    let chat: AgedChat | null = null
    const palimpsest = await createPalimpsest({
      store: new SqlStore(counting(driverOf(), count), warnOnStderr),
      policy: rounds(),
      folding: 'manual',
      clock: () => chat?.now ?? TODAY,
    })
    chat = new AgedChat(palimpsest, count)
    return chat
  }

  get now(): number {
    return this.#talk.now
  }

  /**
   * Three turns, the index of them, the fold that they make due, the next context, a line for memory, taken back again,
   * and three looks at what was said.
   */
  async live(measure: Measure = (_, action) => action().then(() => {})): Promise<void> {
    const chat = this.#chat
    const messages = this.#talk.nextWithRareWord(MESSAGES_A_FOLD)
    await measure('append', async () => {
      for (const message of messages) await chat.append(message)
    })
    await measure('index', () => this.#palimpsest.settled({ timeoutMs: 60_000 }))
    await measure('fold', () => chat.compact())
    await measure('context', () => chat.context())
    await measure('memory', async () => {
      await chat.memory.append('- The cellar is to be cleared.')
      await chat.memory.facts()
      await chat.memory.versions({ limit: 5 })
      await chat.memory.undo()
    })
    const [highest] = (await chat.segments()).toSorted(
      (one, other) => other.level - one.level || other.id - one.id,
    )
    await measure('expand', () => chat.expand({ segment: highest!.id }))
    await measure('search', () => chat.search(this.#talk.rareWord))
    await measure('question', () => chat.search('What did we decide about the wedding cake?'))
  }

  /** Through so many folds: then the documents are as full as they get. */
  async settleIn(folds: number): Promise<void> {
    for (let fold = 0; fold < folds; fold++) await this.live()
  }

  /** Takes the newest turns back, and what was folded of them. */
  async goBack(turns: number): Promise<void> {
    const [newest] = await this.#chat.messages({ limit: 1, from: 'newest' })
    await this.#chat.rollback(newest!.seq - 2 * turns)
  }

  close(): Promise<void> {
    return this.#palimpsest.close()
  }
}
