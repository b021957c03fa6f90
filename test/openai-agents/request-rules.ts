type Fields = Readonly<Record<string, unknown>>

/**
 * What the Responses API refuses, from its documentation and from what it is seen to answer with 400. Written apart
 * from the code that makes the requests. Answers with all that is wrong.
 */
export function responsesViolations(body: Fields): string[] {
  const found: string[] = []
  const input = body['input'] as readonly Fields[]
  const open = new Map<string, number>()
  const [calls, results] = [new Set<string>(), new Set<string>()]
  if (!JSON.stringify(input).isWellFormed() || /\\ud[89a-f]/i.test(JSON.stringify(input)))
    found.push('has a lone surrogate')
  for (const [index, item] of input.entries()) {
    const { type = 'message' } = item
    const id = String(item['call_id'])
    if (type === 'function_call') {
      if (calls.has(id)) found.push(`input[${index}]: the call ${id} is there twice`)
      calls.add(id)
      open.set(id, index)
      if (!isJsonObject(item['arguments'])) found.push(`input[${index}]: the arguments are no JSON object`)
    } else if (type === 'function_call_output') {
      if (!open.delete(id)) found.push(`input[${index}]: no tool call found for the output of ${id}`)
      if (results.has(id)) found.push(`input[${index}]: the output of ${id} is there twice`)
      results.add(id)
    } else if (type === 'reasoning') {
      const next = input.slice(index + 1).find(each => each['type'] !== 'reasoning')
      const isLoose = next === undefined || next['role'] === 'user' || next['type'] === 'function_call_output'
      if (isLoose) found.push(`input[${index}]: a reasoning item without the item that has to follow`)
    } else if (type === 'message') {
      const text = JSON.stringify(item['content'] ?? '')
      if (text === '""' || text === '[]') found.push(`input[${index}]: a message without content`)
    }
    if (type === 'message' && item['role'] === 'assistant') {
      const before = input[index - 1]
      const isThought = String(item['id'] ?? '').startsWith('msg_thought')
      if (isThought && before?.['type'] !== 'reasoning')
        found.push(`input[${index}]: a message without its required reasoning item`)
    }
  }
  for (const [id, index] of open) found.push(`input[${index}]: no tool output found for the call ${id}`)
  if ((input.at(-1)?.['role'] ?? '') === 'assistant') found.push('ends with the assistant')
  return found
}

/** What chat completions refuse of a conversation as the SDK writes it: of the pairs of calls and results. */
export function chatViolations(body: Fields): string[] {
  const found: string[] = []
  let open = new Set<string>()
  const messages = body['messages'] as readonly Fields[]
  if (/\\ud[89a-f]/i.test(JSON.stringify(messages))) found.push('has a lone surrogate')
  for (const [index, message] of messages.entries()) {
    const { role, content } = message
    if (role === 'tool') {
      const id = String(message['tool_call_id'])
      if (!open.delete(id)) found.push(`messages[${index}]: answers ${id}, which is no open call`)
      continue
    }
    for (const id of open) found.push(`messages[${index}]: comes before the result of ${id}`)
    const calls = (message['tool_calls'] ?? []) as readonly Fields[]
    open = new Set(calls.map(({ id }) => String(id)))
    const isEmpty = content === undefined || content === null || content === '' || String(content) === ''
    if (isEmpty && calls.length === 0) found.push(`messages[${index}]: a message without content`)
  }
  for (const id of open) found.push(`the call ${id} has no result`)
  if (messages.at(-1)?.['role'] === 'assistant') found.push('ends with the assistant')
  return found
}

function isJsonObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
