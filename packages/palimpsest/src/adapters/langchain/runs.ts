import type { BaseMessage } from '@langchain/core/messages'
import { BoundedMap } from '../../bounded-map.ts'
import type { Session } from '../../session.ts'
import { externalIdOf } from './from-langchain.ts'
import { Run } from './run.ts'

/** How many open runs of one session are kept. A process may see many runs that broke off and never end. */
const MAX_RUNS = 100

/**
 * The runs under way, each by the question that it answers, so that several runs of one session do not mix.
 */
export class Runs {
  readonly #runs = new WeakMap<Session, BoundedMap<string, Run>>()

  /** A state that ends with a question begins a new run. */
  async of(handle: Session, state: readonly BaseMessage[]): Promise<Run> {
    const underWay = state.at(-1)?.type === 'human' ? undefined : this.find(handle, state)
    if (underWay) return underWay
    const run = new Run(await handle.bound())
    const runs = this.#runs.get(handle) ?? new BoundedMap(MAX_RUNS)
    this.#runs.set(handle, runs)
    runs.set(questionOf(state), run)
    return run
  }

  find(handle: Session, state: readonly BaseMessage[]): Run | undefined {
    return this.#runs.get(handle)?.get(questionOf(state))
  }

  end(handle: Session, state: readonly BaseMessage[]): Run | undefined {
    const run = this.find(handle, state)
    this.#runs.get(handle)?.delete(questionOf(state))
    return run
  }
}

function questionOf(state: readonly BaseMessage[]): string {
  const question = state.findLast(({ type }) => type === 'human')
  return (question && externalIdOf(question)) ?? ''
}
