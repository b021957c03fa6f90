interface Tool {
  readonly execute?: (input: unknown, options: RunOptions) => unknown
}

interface RunOptions {
  readonly toolCallId: string
  readonly messages?: readonly { readonly content: unknown }[]
}

/**
 * The same tools, but a call that a person allowed runs only once, however often the prompt is sent. The SDK
 * runs such a call each time it finds it at the end of the prompt. Calls of the model itself run as usual,
 * whatever their ids.
 */
export function runOnce<Tools extends object>(tools: Tools, calls: Iterable<RunCall>): Tools {
  const names = new Map([...calls].map(({ toolCallId, toolName }) => [toolCallId, toolName]))
  const outputs = new Map<string, unknown>()
  const wrapped = [...new Set(names.values())].flatMap(name => {
    const tool = Object.hasOwn(tools, name) ? (tools[name as keyof Tools] as Tool) : undefined
    if (typeof tool?.execute !== 'function') return []
    const execute = (input: unknown, options: RunOptions) => {
      const { toolCallId } = options
      if (names.get(toolCallId) !== name || !isAllowedNow(options)) return tool.execute!(input, options)
      if (!outputs.has(toolCallId)) outputs.set(toolCallId, kept(tool.execute!(input, options)))
      const output = outputs.get(toolCallId)
      return output instanceof KeptOutputs ? output.all() : output
    }
    return [[name, Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { execute })]]
  })
  return wrapped.length === 0 ? tools : { ...tools, ...Object.fromEntries(wrapped) }
}

interface RunCall {
  readonly toolCallId: string
  readonly toolName: string
}

/** The prompt ends with the person's word. */
function isAllowedNow({ messages }: RunOptions): boolean {
  const content = messages?.at(-1)?.content
  return (
    Array.isArray(content) &&
    content.some(part => (part as { type?: unknown }).type === 'tool-approval-response')
  )
}

function kept(output: unknown): unknown {
  const isMany = typeof (output as AsyncIterable<unknown> | null)?.[Symbol.asyncIterator] === 'function'
  return isMany ? new KeptOutputs(output as AsyncIterable<unknown>) : output
}

/** A tool that gives more than one output. Each reader hears them from the first one on. */
class KeptOutputs {
  readonly #source: AsyncIterator<unknown>
  readonly #heard: Promise<IteratorResult<unknown>>[] = []

  constructor(outputs: AsyncIterable<unknown>) {
    this.#source = outputs[Symbol.asyncIterator]()
  }

  async *all(): AsyncGenerator<unknown> {
    for (let place = 0; ; place++) {
      this.#heard[place] ??= this.#source.next()
      const { done, value } = await this.#heard[place]!
      if (done) return
      yield value
    }
  }
}
