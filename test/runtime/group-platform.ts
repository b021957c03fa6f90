import type { OutgoingMessage } from '../../packages/bot/src/index.ts'
import type { PlatformAnswer, PlatformRequest } from './group-protocol.ts'

/**
 * What people see of the bot. It outlives the bot's processes, shows what it was first sent under a key, and does
 * not take everything at once.
 */
export class GroupPlatform {
  /** By the platform's ids. */
  readonly shown = new Map<string, OutgoingMessage>()
  readonly #ids = new Map<string, string>()
  readonly #random: () => number
  calls = 0
  refusals = 0

  constructor(random: () => number) {
    this.#random = random
  }

  take(request: PlatformRequest): PlatformAnswer {
    this.calls += 1
    if (request.method === 'typing') return { id: '' }
    const luck = this.#random()
    if (luck < 0.04) return this.#refuse('Too many requests', 1_000 + Math.floor(this.#random() * 4_000))
    if (luck < 0.06) return this.#refuse('Bad gateway', null)
    const id = request.method === 'edit' ? request.message.id : this.#idOf(request.message.key)
    if (request.method === 'edit' || !this.shown.has(id)) this.shown.set(id, request.message)
    // It has it, and nobody is told.
    return luck < 0.08 ? this.#refuse('The connection was reset', null) : { id }
  }

  #refuse(refusal: string, retryAfterMs: number | null): PlatformAnswer {
    this.refusals += 1
    return { refusal, retryAfterMs }
  }

  #idOf(key: string): string {
    const id = this.#ids.get(key) ?? `out-${this.#ids.size + 1}`
    this.#ids.set(key, id)
    return id
  }
}
