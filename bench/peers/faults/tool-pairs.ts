type Fields = Readonly<Record<string, unknown>>

/** What providers refuse of the pairs of calls and results, in chat completions or Responses; `null`: nothing. */
export function brokenPair(body: Fields): string | null {
  if (Array.isArray(body['input'])) return brokenItems(body['input'])
  return Array.isArray(body['messages']) ? brokenMessages(body['messages']) : null
}

function brokenMessages(messages: readonly Fields[]): string | null {
  let open = new Set<unknown>()
  for (const message of messages) {
    if (message['role'] === 'tool') {
      if (!open.delete(message['tool_call_id']))
        return `a result without its call (${message['tool_call_id']})`
      continue
    }
    if (open.size > 0) return `a call without its result (${[...open].join(', ')})`
    open = new Set(((message['tool_calls'] ?? []) as Fields[]).map(({ id }) => id))
  }
  return open.size > 0 ? `a call without its result (${[...open].join(', ')})` : null
}

function brokenItems(items: readonly Fields[]): string | null {
  const open = new Set<unknown>()
  for (const { type, call_id: id } of items) {
    if (type === 'function_call') open.add(id)
    else if (type === 'function_call_output' && !open.delete(id)) return `a result without its call (${id})`
  }
  return open.size > 0 ? `a call without its result (${[...open].join(', ')})` : null
}
