import { idOf } from './json-value.ts'

interface Call {
  readonly toolCallId: string
  readonly toolName: string
}

/**
 * The tool calls of one conversation. They let a result find its call if ids are missing: the result answers
 * the oldest open call of its name. Ids in the file stay as they are, even if one occurs twice: a reader of
 * the log pairs them in order.
 */
export class ToolCalls {
  readonly #byId = new Map<string, Call>()
  #open: Call[] = []
  #unnamed = 0

  call(id: unknown, name: string): Call {
    const call = { toolCallId: idOf(id) ?? this.#newId(), toolName: name }
    this.#byId.set(call.toolCallId, call)
    this.#open.push(call)
    return call
  }

  /** `null`: the result has no id, and there is no call that it could answer. */
  result(id: unknown, name: string): Call | null {
    const toolCallId = idOf(id)
    const call = toolCallId === null ? this.#guess(name) : (this.#byId.get(toolCallId) ?? null)
    this.#open = this.#open.filter(open => open.toolCallId !== (call?.toolCallId ?? toolCallId))
    if (call !== null || toolCallId === null) return call
    return { toolCallId, toolName: name }
  }

  #guess(name: string): Call | null {
    const isAsked = (call: Call) => name === '' || call.toolName === name
    const earlier = () => [...this.#byId.values()].findLast(isAsked)
    return this.#open.find(isAsked) ?? earlier() ?? null
  }

  #newId(): string {
    this.#unnamed += 1
    const id = `unnamed_call_${this.#unnamed}`
    return this.#byId.has(id) ? this.#newId() : id
  }
}
