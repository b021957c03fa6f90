import type { ModelRequestBody } from '../model-request.ts'
import { type Json, objectsIn } from './json.ts'
import type { OutputItem } from './response-item-events.ts'

/** What the provider keeps of earlier responses, so that a client need only name it. */
export class ResponseStore {
  readonly #items = new Map<string, Json>()
  /** By the response's id: what led to it, and what it answered. */
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

  /** The whole input of a request, with what it goes on from; `null`: it goes on from nothing that is kept. */
  conversation(body: ModelRequestBody): readonly Json[] | null {
    const { input, previous_response_id: previous } = body
    const given = typeof input === 'string' ? [{ role: 'user', content: input }] : objectsIn(input)
    if (typeof previous !== 'string') return given
    const earlier = this.#conversations.get(previous)
    return earlier === undefined ? null : [...earlier, ...given]
  }
}
