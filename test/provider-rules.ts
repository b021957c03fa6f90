import { generateText } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import type { ContextParts } from '../packages/palimpsest/src/context/context.ts'

/**
 * What the large providers refuse, from their documentation and from what they are seen to answer with 400.
 * Written apart from the code that makes the requests, and taking nothing for granted about it: each answers
 * with all that is wrong, and with an empty list for a request that would be taken.
 */

type Fields = Record<string, unknown>

const ID = /^[a-zA-Z0-9_-]{1,64}$/
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
/** OpenAI: "string too long. Expected a string with maximum length 40". */
const MAX_OPENAI_ID_CHARACTERS = 40
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const MAX_CACHE_MARKS = 4

class Findings {
  readonly list: string[] = []

  add(path: string, what: string): void {
    this.list.push(`${path}: ${what}`)
  }

  check(isRight: boolean, path: string, what: string): boolean {
    if (!isRight) this.add(path, what)
    return isRight
  }

  keys(value: Fields, path: string, allowed: readonly string[]): void {
    for (const key of Object.keys(value))
      this.check(allowed.includes(key), path, `has a field that is not in the format: ${key}`)
  }

  text(value: unknown, path: string): void {
    this.check(typeof value === 'string' && value.trim() !== '', path, 'is not a text, or a blank one')
  }

  items(value: unknown, path: string): unknown[] {
    if (this.check(Array.isArray(value) && value.length > 0, path, 'is not a list, or an empty one'))
      return value as unknown[]
    return []
  }

  object(value: unknown, path: string): Fields | null {
    return this.check(isObject(value), path, 'is not an object') ? (value as Fields) : null
  }

  base64(value: unknown, path: string): void {
    const isValid =
      typeof value === 'string' &&
      value.length > 0 &&
      value.length % 4 === 0 &&
      /^[A-Za-z0-9+/]*={0,2}$/.test(value)
    this.check(isValid, path, 'is not base64, or empty')
  }

  link(value: unknown, path: string, pattern: RegExp): void {
    this.check(
      typeof value === 'string' && pattern.test(value) && URL.canParse(value),
      path,
      `is not a link that can be fetched: ${String(value).slice(0, 40)}`,
    )
  }
}

function isObject(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Deep: JSON must carry it as it is, and every text has to be valid Unicode. */
function checkJson(findings: Findings, value: unknown, path: string, above: readonly unknown[] = []): void {
  switch (typeof value) {
    case 'string':
      findings.check(value.isWellFormed(), path, 'has a lone surrogate')
      return
    case 'number':
      findings.check(Number.isFinite(value), path, `is ${value}, which JSON cannot say`)
      return
    case 'boolean':
      return
    case 'object': {
      if (value === null) return
      if (!findings.check(!above.includes(value), path, 'is inside itself')) return
      const inside = [...above, value]
      if (Array.isArray(value)) {
        // By index, since `entries` of an own iterator or a hole would be passed over.
        for (let index = 0; index < value.length; index += 1)
          checkJson(findings, value[index], `${path}[${index}]`, inside)
        return
      }
      if (!findings.check(isObject(value), path, `is no plain object: ${value.constructor?.name}`)) return
      for (const [key, entry] of Object.entries(value)) {
        findings.check(key.isWellFormed(), path, 'has a lone surrogate in a key')
        checkJson(findings, entry, `${path}.${key}`, inside)
      }
      return
    }
    default:
      findings.add(path, `is ${typeof value}, which JSON cannot say`)
  }
}

/** The chat-completions format. */
export function openAIViolations(request: unknown): string[] {
  const findings = new Findings()
  checkJson(findings, request, 'request')
  const messages = findings.items((request as Fields)?.['messages'], 'messages')
  const seenIds = new Set<string>()
  /** Calls of the assistant's last message that have no result yet. */
  let open = new Set<string>()
  for (const [index, value] of messages.entries()) {
    const path = `messages[${index}]`
    const message = findings.object(value, path)
    if (!message) continue
    if (message['role'] !== 'tool') {
      for (const id of open) findings.add(path, `comes before the result of call ${id}`)
      open = new Set()
    }
    switch (message['role']) {
      case 'system':
        findings.keys(message, path, ['role', 'content'])
        findings.check(index === 0, path, 'is a system message that is not the first')
        findings.text(message['content'], `${path}.content`)
        break
      case 'user':
        findings.keys(message, path, ['role', 'content'])
        checkOpenAIContent(findings, message['content'], `${path}.content`)
        break
      case 'assistant':
        open = checkOpenAIAssistant(findings, message, path, seenIds)
        break
      case 'tool': {
        findings.keys(message, path, ['role', 'content', 'tool_call_id'])
        const id = String(message['tool_call_id'])
        findings.check(open.delete(id), path, `answers ${id}, which is no open call of the message before`)
        findings.check(typeof message['content'] === 'string', `${path}.content`, 'is not a text')
        break
      }
      default:
        findings.add(path, `has an unknown role: ${String(message['role'])}`)
    }
  }
  for (const id of open) findings.add('messages', `end before the result of call ${id}`)
  checkLastRole(findings, messages)
  findings.check(
    messages.some(message => (message as Fields)?.['role'] !== 'system'),
    'messages',
    'hold nothing but instructions',
  )
  return findings.list
}

function checkOpenAIContent(findings: Findings, content: unknown, path: string): void {
  if (typeof content === 'string') {
    findings.text(content, path)
    return
  }
  for (const [index, value] of findings.items(content, path).entries()) {
    const at = `${path}[${index}]`
    const part = findings.object(value, at)
    if (!part) continue
    switch (part['type']) {
      case 'text':
        findings.keys(part, at, ['type', 'text'])
        findings.text(part['text'], `${at}.text`)
        break
      case 'image_url': {
        findings.keys(part, at, ['type', 'image_url'])
        const url = findings.object(part['image_url'], `${at}.image_url`)?.['url']
        const bytes = dataUrlBytes(url, IMAGE_TYPES)
        if (bytes !== null) findings.base64(bytes, `${at}.image_url.url`)
        else findings.link(url, `${at}.image_url.url`, /^https?:\/\//)
        break
      }
      case 'file': {
        findings.keys(part, at, ['type', 'file'])
        const file = findings.object(part['file'], `${at}.file`)
        findings.keys(file ?? {}, `${at}.file`, ['filename', 'file_data'])
        findings.text(file?.['filename'], `${at}.file.filename`)
        findings.base64(dataUrlBytes(file?.['file_data'], ['application/pdf']), `${at}.file.file_data`)
        break
      }
      default:
        findings.add(at, `has an unknown type: ${String(part['type'])}`)
    }
  }
}

function dataUrlBytes(url: unknown, mediaTypes: readonly string[]): string | null {
  if (typeof url !== 'string') return null
  const header = mediaTypes.map(type => `data:${type};base64,`).find(start => url.startsWith(start))
  return header === undefined ? null : url.slice(header.length)
}

function checkOpenAIAssistant(
  findings: Findings,
  message: Fields,
  path: string,
  seenIds: Set<string>,
): Set<string> {
  findings.keys(message, path, ['role', 'content', 'tool_calls'])
  const ids = new Set<string>()
  const hasCalls = message['tool_calls'] !== undefined
  if (message['content'] !== null || !hasCalls) findings.text(message['content'], `${path}.content`)
  if (!hasCalls) return ids
  for (const [index, value] of findings.items(message['tool_calls'], `${path}.tool_calls`).entries()) {
    const at = `${path}.tool_calls[${index}]`
    const call = findings.object(value, at)
    if (!call) continue
    findings.keys(call, at, ['id', 'type', 'function'])
    findings.check(call['type'] === 'function', at, 'is not of the type function')
    checkId(findings, call['id'], `${at}.id`, seenIds)
    findings.check(
      String(call['id']).length <= MAX_OPENAI_ID_CHARACTERS,
      `${at}.id`,
      `is longer than ${MAX_OPENAI_ID_CHARACTERS} characters`,
    )
    ids.add(String(call['id']))
    const called = findings.object(call['function'], `${at}.function`)
    findings.keys(called ?? {}, `${at}.function`, ['name', 'arguments'])
    checkName(findings, called?.['name'], `${at}.function.name`)
    checkArguments(findings, called?.['arguments'], `${at}.function.arguments`)
  }
  return ids
}

function checkArguments(findings: Findings, text: unknown, path: string): void {
  let parsed: unknown
  try {
    parsed = JSON.parse(text as string)
  } catch {
    findings.add(path, 'is not the text of a JSON value')
    return
  }
  findings.check(typeof text === 'string' && isObject(parsed), path, 'is not the text of an object')
  checkJson(findings, parsed, path)
}

function checkId(findings: Findings, id: unknown, path: string, seen: Set<string>): void {
  findings.check(typeof id === 'string' && ID.test(id), path, `is not an id: ${String(id)}`)
  findings.check(!seen.has(String(id)), path, `is used twice: ${String(id)}`)
  seen.add(String(id))
}

function checkName(findings: Findings, name: unknown, path: string): void {
  findings.check(typeof name === 'string' && NAME.test(name), path, `is not a name: ${String(name)}`)
}

function checkLastRole(findings: Findings, messages: readonly unknown[]): void {
  const last = messages.at(-1) as Fields | undefined
  findings.check(last?.['role'] !== 'assistant', 'messages', 'end with the assistant')
}

/** The Messages API. */
export function anthropicViolations(request: unknown): string[] {
  const findings = new Findings()
  const { system, ...others } = isObject(request) ? request : {}
  // The one field that may be there without a value: `JSON.stringify` leaves it out.
  checkJson(findings, system === undefined ? others : request, 'request')
  if (system !== undefined) checkAnthropicSystem(findings, system)
  const messages = findings.items(others['messages'], 'messages')
  const first = messages[0] as Fields | undefined
  findings.check(first?.['role'] === 'user', 'messages', 'do not begin with the user')
  checkLastRole(findings, messages)
  const seenIds = new Set<string>()
  let open: string[] = []
  let before: unknown
  for (const [index, value] of messages.entries()) {
    const path = `messages[${index}]`
    const message = findings.object(value, path)
    if (!message) continue
    const { role, content } = message
    findings.keys(message, path, ['role', 'content'])
    findings.check(role === 'user' || role === 'assistant', path, `has an unknown role: ${String(role)}`)
    findings.check(role !== before, path, `follows another message of the role ${String(role)}`)
    before = role
    const blocks = anthropicBlocks(findings, content, `${path}.content`)
    checkResults(findings, blocks, path, open)
    const isLast = index === messages.length - 1
    open = []
    for (const [at, block] of blocks.entries())
      checkAnthropicBlock(findings, block, `${path}.content[${at}]`, role)
    for (const [at, block] of blocks.entries()) {
      if (block['type'] !== 'tool_use') continue
      checkId(findings, block['id'], `${path}.content[${at}].id`, seenIds)
      open.push(String(block['id']))
      const next = blocks[at + 1]?.['type']
      findings.check(next !== 'text', `${path}.content[${at + 1}]`, 'is a text after a call')
    }
    const end = blocks.at(-1)
    if (isLast && role === 'assistant' && end?.['type'] === 'text')
      findings.check(!/\s$/.test(String(end['text'])), path, 'is the last, and ends in white space')
  }
  for (const id of open) findings.add('messages', `end before the result of call ${id}`)
  checkCacheMarks(findings, request)
  return findings.list
}

function checkAnthropicSystem(findings: Findings, system: unknown): void {
  if (typeof system === 'string') {
    findings.text(system, 'system')
    return
  }
  for (const [index, value] of findings.items(system, 'system').entries()) {
    const block = findings.object(value, `system[${index}]`)
    findings.keys(block ?? {}, `system[${index}]`, ['type', 'text', 'cache_control'])
    findings.check(block?.['type'] === 'text', `system[${index}]`, 'is not a text block')
    findings.text(block?.['text'], `system[${index}].text`)
  }
}

function anthropicBlocks(findings: Findings, content: unknown, path: string): Fields[] {
  if (typeof content === 'string') {
    findings.text(content, path)
    return []
  }
  return findings.items(content, path).filter((block, index): block is Fields => {
    return findings.object(block, `${path}[${index}]`) !== null
  })
}

/** All results of the calls right before, once each, before anything else, and no others. */
function checkResults(findings: Findings, blocks: readonly Fields[], path: string, open: string[]): void {
  const ids = blocks
    .filter(block => block['type'] === 'tool_result')
    .map(block => String(block['tool_use_id']))
  for (const id of open)
    findings.check(ids.filter(other => other === id).length === 1, path, `has not one result of call ${id}`)
  for (const id of ids)
    findings.check(open.includes(id), path, `answers ${id}, which the message before does not call`)
  const areFirst = blocks.slice(0, ids.length).every(block => block['type'] === 'tool_result')
  findings.check(areFirst, path, 'has something before a result')
}

const BLOCK_FIELDS: Record<string, Record<string, readonly string[]>> = {
  user: {
    text: ['type', 'text', 'cache_control'],
    image: ['type', 'source', 'cache_control'],
    document: ['type', 'source', 'title', 'cache_control'],
    tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
  },
  assistant: {
    text: ['type', 'text', 'cache_control'],
    tool_use: ['type', 'id', 'name', 'input', 'cache_control'],
    // Thoughts take no mark.
    thinking: ['type', 'thinking', 'signature'],
    redacted_thinking: ['type', 'data'],
  },
}

function checkAnthropicBlock(findings: Findings, block: Fields, path: string, role: unknown): void {
  const type = String(block['type'])
  const fields = BLOCK_FIELDS[String(role)]?.[type]
  if (!fields) {
    findings.add(path, `is of a type that the role ${String(role)} does not have: ${type}`)
    return
  }
  findings.keys(block, path, fields)
  switch (type) {
    case 'text':
      findings.text(block['text'], `${path}.text`)
      break
    case 'image':
      checkSource(findings, block['source'], `${path}.source`, IMAGE_TYPES)
      break
    case 'document':
      checkSource(findings, block['source'], `${path}.source`, ['application/pdf'])
      if (block['title'] !== undefined) {
        findings.text(block['title'], `${path}.title`)
        findings.check(String(block['title']).length <= 500, `${path}.title`, 'is too long')
      }
      break
    case 'tool_result':
      if (block['content'] !== undefined) findings.text(block['content'], `${path}.content`)
      break
    case 'tool_use':
      checkName(findings, block['name'], `${path}.name`)
      findings.object(block['input'], `${path}.input`)
      break
    case 'thinking':
      findings.check(typeof block['thinking'] === 'string', `${path}.thinking`, 'is not a text')
      findings.text(block['signature'], `${path}.signature`)
      break
    case 'redacted_thinking':
      findings.text(block['data'], `${path}.data`)
      break
  }
}

function checkSource(findings: Findings, value: unknown, path: string, mediaTypes: readonly string[]): void {
  const source = findings.object(value, path)
  if (source?.['type'] === 'url') {
    findings.keys(source, path, ['type', 'url'])
    findings.link(source['url'], `${path}.url`, /^https:\/\//i)
    return
  }
  findings.keys(source ?? {}, path, ['type', 'media_type', 'data'])
  findings.check(source?.['type'] === 'base64', path, `is of an unknown type: ${String(source?.['type'])}`)
  const mediaType = String(source?.['media_type'])
  findings.check(mediaTypes.includes(mediaType), `${path}.media_type`, `is not taken: ${mediaType}`)
  findings.base64(source?.['data'], `${path}.data`)
}

function checkCacheMarks(findings: Findings, request: unknown): void {
  const { system, messages } = isObject(request) ? request : {}
  const blocks = [
    system,
    ...(Array.isArray(messages) ? messages.map(message => message?.content) : []),
  ].flat()
  const marked = blocks.filter(isObject).filter(block => block['cache_control'] !== undefined)
  findings.check(marked.length <= MAX_CACHE_MARKS, 'request', `has ${marked.length} cache marks`)
  for (const { cache_control: mark } of marked) {
    findings.check(isObject(mark) && mark['type'] === 'ephemeral', 'cache_control', 'is not ephemeral')
    findings.keys(isObject(mark) ? mark : {}, 'cache_control', ['type'])
  }
}

/** The AI SDK's messages, as any of its providers takes them. */
export function modelMessageViolations(messages: unknown): string[] {
  const findings = new Findings()
  checkJson(findings, messages, 'messages')
  const list = findings.items(messages, 'messages')
  findings.check((list[0] as Fields)?.['role'] === 'user', 'messages', 'do not begin with the user')
  checkLastRole(findings, list)
  const seenIds = new Set<string>()
  /** Calls of the message right before, by id. */
  let open = new Map<string, unknown>()
  for (const [index, value] of list.entries()) {
    const path = `messages[${index}]`
    const message = findings.object(value, path)
    if (!message) continue
    findings.keys(message, path, ['role', 'content'])
    const { role, content } = message
    if (role === 'tool') {
      for (const [at, part] of findings.items(content, `${path}.content`).entries())
        checkModelResult(findings, part, `${path}.content[${at}]`, open)
    }
    for (const id of open.keys()) findings.add(path, `has no result of call ${id}, made right before`)
    open = new Map()
    if (role === 'tool') continue
    if (!findings.check(role === 'user' || role === 'assistant', path, `has the role ${String(role)}`))
      continue
    if (typeof content === 'string') {
      findings.text(content, `${path}.content`)
      continue
    }
    const parts = findings.items(content, `${path}.content`)
    for (const [at, part] of parts.entries()) {
      const call = checkModelPart(findings, part, `${path}.content[${at}]`, String(role))
      if (!call) continue
      checkId(findings, call['toolCallId'], `${path}.content[${at}].toolCallId`, seenIds)
      open.set(String(call['toolCallId']), call['toolName'])
    }
    const saysNothing = parts.every(part => (part as Fields)?.['type'] === 'reasoning')
    findings.check(!saysNothing, path, 'is nothing but reasoning')
  }
  for (const id of open.keys()) findings.add('messages', `end before the result of call ${id}`)
  return findings.list
}

function checkModelResult(
  findings: Findings,
  value: unknown,
  path: string,
  open: Map<string, unknown>,
): void {
  const result = findings.object(value, path)
  if (!result) return
  findings.keys(result, path, ['type', 'toolCallId', 'toolName', 'output'])
  findings.check(result['type'] === 'tool-result', path, 'is not a tool-result')
  const id = String(result['toolCallId'])
  if (findings.check(open.has(id), path, `answers ${id}, which is no open call of the message before`))
    findings.check(open.get(id) === result['toolName'], path, 'has another name than its call')
  open.delete(id)
  checkName(findings, result['toolName'], `${path}.toolName`)
  const output = findings.object(result['output'], `${path}.output`)
  findings.keys(output ?? {}, `${path}.output`, ['type', 'value'])
  findings.check(output?.['type'] === 'text', `${path}.output`, 'is not of the type text')
  // Anthropic is said to refuse blank ones; a word for "nothing" is taken by all.
  findings.text(output?.['value'], `${path}.output.value`)
}

const PART_FIELDS: Record<string, Record<string, readonly string[]>> = {
  user: {
    text: ['type', 'text'],
    image: ['type', 'image', 'mediaType'],
    file: ['type', 'data', 'mediaType', 'filename'],
  },
  assistant: {
    text: ['type', 'text'],
    reasoning: ['type', 'text', 'providerOptions'],
    'tool-call': ['type', 'toolCallId', 'toolName', 'input'],
  },
}

/** The part where it is a call. */
function checkModelPart(findings: Findings, value: unknown, path: string, role: string): Fields | null {
  const part = findings.object(value, path)
  if (!part) return null
  const type = String(part['type'])
  const fields = PART_FIELDS[role]?.[type]
  if (!fields) {
    findings.add(path, `is of a type that the role ${role} does not have: ${type}`)
    return null
  }
  findings.keys(part, path, fields)
  switch (type) {
    case 'text':
      findings.text(part['text'], `${path}.text`)
      return null
    case 'image':
      checkModelData(findings, part['image'], `${path}.image`, part['mediaType'] ?? 'image')
      return null
    case 'file':
      findings.text(part['mediaType'], `${path}.mediaType`)
      if ('filename' in part) findings.text(part['filename'], `${path}.filename`)
      checkModelData(findings, part['data'], `${path}.data`, part['mediaType'])
      return null
    case 'reasoning':
      findings.check(typeof part['text'] === 'string', `${path}.text`, 'is not a text')
      return null
    default:
      checkName(findings, part['toolName'], `${path}.toolName`)
      findings.object(part['input'], `${path}.input`)
      return part
  }
}

/** What the SDK knows by their first bytes, whatever else is said of them. */
const SNIFFED = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/

/** Other media types make the SDK's providers throw; other links make the SDK itself throw as it fetches them. */
function checkModelData(findings: Findings, data: unknown, path: string, mediaType: unknown): void {
  const taken = [...IMAGE_TYPES, 'application/pdf']
  if (typeof data === 'string' && /^data:/i.test(data)) {
    const bytes = dataUrlBytes(data, taken)
    if (findings.check(bytes !== null, path, 'is a data URL of another type, or not in base64'))
      findings.base64(bytes, path)
    return
  }
  const isLink = typeof data === 'string' && data.includes(':')
  if (isLink) findings.link(data, path, /^https?:\/\//i)
  else findings.base64(data, path)
  const isKnown =
    taken.includes(String(mediaType)) || (mediaType === 'image' && (isLink || SNIFFED.test(String(data))))
  findings.check(isKnown, path, `is of a media type that is not taken everywhere: ${String(mediaType)}`)
}

/**
 * Passes a context through the SDK's own conversion and gives what a model is handed in the end. Throws
 * where the SDK does. Nothing is fetched.
 */
export async function acceptedByAiSdk({
  instructions,
  messages,
}: Pick<ContextParts, 'instructions' | 'messages'>): Promise<unknown[]> {
  const model = new MockLanguageModelV4({
    supportedUrls: { '*/*': [/^https?:/i] },
    doGenerate: {
      content: [{ type: 'text', text: 'ok' }],
      finishReason: { unified: 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 1, text: 1, reasoning: undefined },
      },
      warnings: [],
    },
  })
  await generateText({ model, ...(instructions !== '' && { instructions }), messages: [...messages] })
  const [call] = model.doGenerateCalls
  if (!call) throw new Error('The SDK did not call the model.')
  return call.prompt
}
