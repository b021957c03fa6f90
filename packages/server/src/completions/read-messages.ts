import { InvalidMessageError, PalimpsestError } from 'palimpsest/internals/errors'
import { Pace } from 'palimpsest/internals/finding/pace'
import { type Content, type ContentPart, normalizeMessage, type Role } from 'palimpsest/internals/log/index'
import { invalidArguments } from '../problems.ts'
import { isRecord, type Json, readParts, textIn } from './read-parts.ts'

/** A message of the request, in the form of the log. */
export interface Sent {
  readonly role: Role
  readonly content: Content
  readonly sender?: string
}

export interface ReadMessages {
  /**
   * The system messages at the start of the list. They go to the model for
   * this call only. Empty: there are none.
   */
  readonly instructions: string
  /**
   * The system messages between other messages. Their place changes from call to call,
   * so they are not stored as messages.
   */
  readonly reminder: string
  readonly messages: readonly Sent[]
  /**
   * How many messages there are up to and with the last assistant message, even if
   * that one is empty. 0: there is none.
   */
  readonly answered: number
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool']

/** Reads the messages of a request. A message without any content is left out: the log has no form for it. */
export async function readMessages(list: readonly unknown[]): Promise<ReadMessages> {
  const pace = new Pace()
  const given = list.map((message, place) => checkedMessage(message, `messages[${place}]`))
  const first = given.findIndex(({ role }) => !isInstruction(role))
  const beginning = first === -1 ? given.length : first
  const instructions: string[] = []
  const reminders: string[] = []
  const messages: Sent[] = []
  const names = new Map<string, string>()
  let answered = 0
  for (const [place, message] of given.entries()) {
    const path = `messages[${place}]`
    if (isInstruction(message.role)) {
      const texts = place < beginning ? instructions : reminders
      texts.push(textIn(message['content'], `${path}.content`))
      continue
    }
    await pace.keep()
    const sent = readMessage(message, path, names)
    if (sent.content.length > 0) messages.push(storable(sent, path))
    if (message.role === 'assistant') answered = messages.length
  }
  return { instructions: joined(instructions), reminder: joined(reminders), messages, answered }
}

function joined(texts: readonly string[]): string {
  return texts.filter(text => text.trim() !== '').join('\n\n')
}

/** Refuses here what the log would refuse, before anything is done. */
function storable(sent: Sent, path: string): Sent {
  try {
    normalizeMessage(sent, { zone: 'UTC' })
    return sent
  } catch (error) {
    if (!(error instanceof InvalidMessageError)) throw error
    const { code, message, details } = error
    throw new PalimpsestError(code, `${path}.${message}`, { ...details, field: `${path}.${details.field}` })
  }
}

type Given = Json & { readonly role: string }

function checkedMessage(message: unknown, path: string): Given {
  if (!isRecord(message)) throw invalidArguments([{ field: path, value: message, allowed: 'an object' }])
  const { role, function_call: called } = message
  if (role === 'function')
    throw refused(`${path}.role`, role, 'tool, with the tool_call_id of the call that it answers')
  if (typeof role !== 'string' || !ROLES.includes(role)) throw refused(`${path}.role`, role, ROLES.join(', '))
  if (called != null) throw refused(`${path}.function_call`, called, 'tool_calls')
  return message as Given
}

function isInstruction(role: string): boolean {
  return role === 'system' || role === 'developer'
}

/** `names`: the names of the tools called so far, by the ids of the calls. */
function readMessage(message: Given, path: string, names: Map<string, string>): Sent {
  const { role, content, name } = message
  switch (role) {
    case 'user': {
      const sender = typeof name === 'string' && name !== '' ? { sender: name } : {}
      return { role, content: readParts(content, `${path}.content`), ...sender }
    }
    case 'assistant':
      return { role, content: assistantContent(message, path, names) }
    default:
      return { role: 'tool', content: [toolResult(message, path, names)] }
  }
}

function assistantContent(message: Given, path: string, names: Map<string, string>): Content {
  const { content, refusal, reasoning_content: thought, tool_calls: calls = [] } = message
  const said = content == null ? '' : readParts(content, `${path}.content`)
  const parts: ContentPart[] = [
    ...(typeof thought === 'string' && thought !== '' ? [{ type: 'reasoning' as const, text: thought }] : []),
    ...(typeof said === 'string' ? texts(said) : said),
    ...texts(typeof refusal === 'string' ? refusal : ''),
    ...readCalls(calls ?? [], `${path}.tool_calls`, names),
  ]
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function texts(text: string): ContentPart[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

function readCalls(calls: unknown, path: string, names: Map<string, string>): ContentPart[] {
  if (!Array.isArray(calls)) throw refused(path, calls, 'a list of calls')
  return calls.map((call: unknown, place): ContentPart => {
    const { id, function: called, custom } = isRecord(call) ? call : {}
    const made = isRecord(called) ? called : isRecord(custom) ? custom : {}
    const { name, arguments: given = made['input'] } = made
    if (typeof id !== 'string' || id === '' || typeof name !== 'string')
      throw refused(`${path}[${place}]`, call, '{ id, type: "function", function: { name, arguments } }')
    names.set(id, name)
    return { type: 'tool-call', toolCallId: id, toolName: name, input: inputOf(given) }
  })
}

/** Arguments that are not JSON are kept as text. */
function inputOf(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {}
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

function toolResult({ content, tool_call_id: id }: Given, path: string, names: Map<string, string>) {
  if (typeof id !== 'string' || id === '')
    throw refused(`${path}.tool_call_id`, id, 'the id of the call that it answers')
  const name = names.get(id)
  const output = content == null ? '' : textIn(content, `${path}.content`)
  return {
    type: 'tool-result' as const,
    toolCallId: id,
    ...(name !== undefined && { toolName: name }),
    output,
  }
}

function refused(field: string, value: unknown, allowed: string) {
  return invalidArguments([{ field, value, allowed }])
}
