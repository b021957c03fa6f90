import { InvalidMessageError } from 'palimpsest/internals/errors'
import type { AttachmentPart, ContentPart, MessageInput, Role } from 'palimpsest/internals/log/index'
import { toContent } from './found-message.ts'
import { type JsonRecord, listOf, recordOf, textOf } from './json-value.ts'
import type { ToolCalls } from './tool-calls.ts'

/**
 * The AI SDK keeps all steps of a reply in one UI message: text, calls with their results, text again. Here
 * each step becomes a message of the assistant and, if tools answered, a message of the tool.
 */
export function readUiMessage(message: JsonRecord, calls: ToolCalls): MessageInput[] {
  const role = message['role'] as Role
  const inputs: MessageInput[] = []
  let said: ContentPart[] = []
  let results: ContentPart[] = []
  const endStep = () => {
    const content = toContent(said)
    if (content !== null) inputs.push({ role, content })
    if (results.length > 0) inputs.push({ role: 'tool', content: results })
    said = []
    results = []
  }
  for (const value of listOf(message['parts'])) {
    const part = recordOf(value)
    const tool = toolOf(part)
    if (tool !== null) {
      const call = calls.call(tool.id, tool.name)
      said.push({ type: 'tool-call', ...call, input: tool.input ?? {} })
      if (tool.output !== undefined) {
        calls.result(call.toolCallId, tool.name)
        results.push({ type: 'tool-result', ...call, output: tool.output })
      }
    } else if (part['type'] === 'steering-message') {
      endStep()
      const content = toContent(listOf(part['parts']).flatMap(item => spokenPart(recordOf(item))))
      if (content !== null) inputs.push({ role: 'user', content })
    } else {
      if (part['type'] === 'step-start' || results.length > 0) endStep()
      said.push(...spokenPart(part))
    }
  }
  endStep()
  return inputs
}

interface ToolPart {
  readonly id: unknown
  readonly name: string
  readonly input: unknown
  /** `undefined`: there is none yet. */
  readonly output: unknown
}

/** `null`: the part is not about a tool. */
function toolOf(part: JsonRecord): ToolPart | null {
  const type = textOf(part['type'])
  // The form of version 4.
  if (type === 'tool-invocation') {
    const { toolCallId, toolName, args, result } = recordOf(part['toolInvocation'])
    return { id: toolCallId, name: textOf(toolName), input: args, output: result }
  }
  if (type !== 'dynamic-tool' && !type.startsWith('tool-')) return null
  const name = type === 'dynamic-tool' ? textOf(part['toolName']) : type.slice('tool-'.length)
  return { id: part['toolCallId'], name, input: part['input'] ?? part['rawInput'], output: outputOf(part) }
}

function outputOf(part: JsonRecord): unknown {
  if (part['state'] === 'output-error') return { type: 'error-text', value: textOf(part['errorText']) }
  if (part['state'] !== 'output-denied') return part['output']
  const reason = recordOf(part['approval'])['reason']
  return { type: 'execution-denied', ...(typeof reason === 'string' && { reason }) }
}

/** Parts that only the page needs: sources, a program's own data, what a provider adds. */
const SILENT = /^(step-start|source|source-url|source-document|custom|reasoning-file|data-.*)$/

function spokenPart(part: JsonRecord): ContentPart[] {
  const type = textOf(part['type'])
  if (type === 'text') return [{ type, text: textOf(part['text']) }]
  if (type === 'reasoning') {
    const text = textOf(part['text']) || textOf(part['reasoning'])
    return text === '' ? [] : [{ type, text }]
  }
  if (type === 'file') return [file(part)]
  if (SILENT.test(type)) return []
  throw new InvalidMessageError(
    'part',
    part['type'],
    'text, reasoning, file, tool-…, dynamic-tool, step-start',
  )
}

function file({ url, data, mediaType, mimeType, filename }: JsonRecord): AttachmentPart {
  const kind = textOf(mediaType) || textOf(mimeType)
  const isImage = kind.startsWith('image')
  return {
    type: isImage ? 'image' : 'file',
    [isImage ? 'image' : 'data']: url ?? data ?? '',
    ...(kind !== '' && { mediaType: kind }),
    ...(typeof filename === 'string' && { filename }),
  }
}
