import type { ModelRequestBody, OfferedTool, SaidMessage, SaidToolCall } from '../model-request.ts'
import { isObject, type Json, objectsIn, plainText, stringIn } from './json.ts'
import type { Heard } from './protocol.ts'
import type { ResponseStore } from './response-store.ts'

/**
 * The conversation of a request to the Responses protocol, with the stored items that the request only names.
 */
export function heardInResponses(body: ModelRequestBody, store: ResponseStore): Heard {
  const tools = objectsIn(body['tools']).map(offeredTool)
  const conversation = store.conversation(body)
  if (conversation === null)
    return refused(tools, `Previous response with id '${body['previous_response_id']}' not found.`)
  const instructions = plainText(body['instructions'])
  const said: SaidMessage[] = instructions === '' ? [] : [{ role: 'system', text: instructions }]
  for (const given of conversation) {
    const item = given['type'] === 'item_reference' ? store.item(stringIn(given['id'])) : given
    if (item === undefined)
      return refused(
        tools,
        `Item with id '${given['id']}' not found. Items are not persisted when \`store\` is set to false.`,
      )
    addItem(said, item)
  }
  return { said, tools }
}

function refused(tools: readonly OfferedTool[], message: string): Heard {
  return { said: [], tools, problem: { kind: 'not_found', message } }
}

/** A function call is a separate item. Here it becomes part of the assistant's message right before it. */
function addItem(said: SaidMessage[], item: Json): void {
  if (item['type'] === 'function_call') {
    const before = said.at(-1)?.role === 'assistant' ? said.pop()! : { role: 'assistant' as const, text: '' }
    said.push({ ...before, toolCalls: [...(before.toolCalls ?? []), saidToolCall(item)] })
  } else if (item['type'] === 'function_call_output')
    said.push({ role: 'tool', text: plainText(item['output']), toolCallId: stringIn(item['call_id']) })
  else if (typeof item['role'] === 'string')
    said.push({ role: roleOf(item['role']), text: plainText(item['content']) })
}

function roleOf(role: string): SaidMessage['role'] {
  return role === 'assistant' || role === 'user' ? role : 'system'
}

function saidToolCall({ call_id: id, name, arguments: given }: Json): SaidToolCall {
  return { id: stringIn(id), name: stringIn(name), arguments: stringIn(given) }
}

function offeredTool({ type, name, description, parameters }: Json): OfferedTool {
  return {
    name: stringIn(name) || stringIn(type),
    ...(typeof description === 'string' && { description }),
    schema: isObject(parameters) ? parameters : {},
  }
}
