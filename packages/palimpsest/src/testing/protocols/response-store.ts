import type { ModelRequestBody } from '../model-request.ts'
import { type Json, objectsIn } from './json.ts'
import type { OutputItem } from './response-item-events.ts'

/** Earlier responses that the provider keeps, so that a client can name them. */
export class ResponseStore {
  readonly #items = new Map<string, Json>()
  /** By the id of a response: the items that led to it, and its own items. */
  readonly #conversations = new Map<string, readonly Json[]>()

  keep(body: ModelRequestBody, { id, output }: { id: string; output: readonly OutputItem[] }): void {
    if (body['store'] === false) return
    const answered = output.map(item => ({ ...item }))
    for (const item of answered) this.#items.set(item.id, item)
    this.#conversations.set(id, [...(this.conversation(body) ?? []), ...answered])
  }

  item(id: string): Json | undefined {
    return this.#items.get(id)
  }

  /**
   * The whole input of a request, with the earlier response that it continues. `null`: that response is not
   * kept.
   */
  conversation(body: ModelRequestBody): readonly Json[] | null {
    const { input, previous_response_id: previous } = body
    const given = typeof input === 'string' ? [{ role: 'user', content: input }] : objectsIn(input)
    if (typeof previous !== 'string') return given
    const earlier = this.#conversations.get(previous)
    return earlier === undefined ? null : [...earlier, ...given]
  }
}
