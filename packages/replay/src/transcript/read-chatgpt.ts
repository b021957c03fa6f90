import type { ContentPart, MessageInput, Role } from 'palimpsest/internals/log/index'
import { foundMessages, toContent } from './found-message.ts'
import {
  idOf,
  instantOfSeconds,
  isRecord,
  type JsonRecord,
  listOf,
  nameOf,
  parsedOrText,
  recordOf,
  textOf,
} from './json-value.ts'
import { ToolCalls } from './tool-calls.ts'
import type { FoundConversation } from './transcript.ts'

/**
 * Reads `conversations.json`, or one conversation of it. OpenAI documents the format nowhere and extends it
 * without notice. So for content of an unknown kind, only its text is read; without a text, it is left out.
 */
export function readChatGpt(value: unknown): FoundConversation[] {
  const conversations = Array.isArray(value) ? value : [value]
  return conversations.map(entry => {
    const conversation = recordOf(entry)
    return {
      id: idOf(conversation['conversation_id']) ?? idOf(conversation['id']),
      title: nameOf(conversation['title']),
      messages: isRecord(conversation['mapping'])
        ? readMessages(conversation['mapping'], conversation['current_node'])
        : [{ place: 'mapping', problem: 'is missing; a conversation keeps its messages there' }],
    }
  })
}

function readMessages(mapping: JsonRecord, currentNode: unknown) {
  const calls = new ToolCalls()
  const shown = visibleBranch(mapping, currentNode).filter(isShown)
  let number = 0
  return shown.flatMap(message => {
    const found = foundMessages(number + 1, () => convert(message, calls))
    if (found.length > 0) number += 1
    return found
  })
}

/** Edited and regenerated messages are branches of a tree. The branch that the user last looked at counts. */
function visibleBranch(mapping: JsonRecord, currentNode: unknown): JsonRecord[] {
  const nodes = new Map(Object.entries(mapping).map(([id, node]) => [id, recordOf(node)]))
  const branch: JsonRecord[] = []
  const seen = new Set<string>()
  let id: string | undefined = nodes.has(textOf(currentNode)) ? textOf(currentNode) : newestLeaf(nodes)
  while (id !== undefined && nodes.has(id) && !seen.has(id)) {
    seen.add(id)
    const node: JsonRecord = nodes.get(id)!
    branch.push(recordOf(node['message']))
    id = textOf(node['parent']) || undefined
  }
  return branch.reverse()
}

function newestLeaf(nodes: ReadonlyMap<string, JsonRecord>): string | undefined {
  const leaves = [...nodes].filter(([, node]) => listOf(node['children']).length === 0)
  const time = (node: JsonRecord) => instantOfSeconds(recordOf(node['message'])['create_time']) ?? 0
  return leaves.sort(([, a], [, b]) => time(a) - time(b)).at(-1)?.[0]
}

function isShown({ metadata }: JsonRecord): boolean {
  return recordOf(metadata)['is_visually_hidden_from_conversation'] !== true
}

function convert(message: JsonRecord, calls: ToolCalls): MessageInput[] {
  const author = recordOf(message['author'])
  const parts = [...contentParts(recordOf(message['content'])), ...attachments(message)]
  const said = toContent(parts.filter(part => part.type !== 'text' || part.text.trim() !== ''))
  if (said === null) return []
  const tool = calledTool(author['role'], message['recipient'])
  const fields = {
    externalId: idOf(message['id']),
    at: instantOfSeconds(message['create_time']),
  }
  if (tool !== null) {
    const code = textOf(recordOf(message['content'])['text'])
    const input = typeof said === 'string' ? parsedOrText(code || said) : said
    const content = [{ type: 'tool-call' as const, ...calls.call(message['id'], tool), input }]
    return [{ role: 'assistant', content, ...fields }]
  }
  const answered = author['role'] === 'tool' ? calls.result(undefined, textOf(author['name'])) : null
  if (answered !== null) {
    const content = [{ type: 'tool-result' as const, ...answered, output: said }]
    return [{ role: 'tool', content, ...fields }]
  }
  return [{ role: author['role'] as Role, content: said, ...fields }]
}

/** A message from the assistant to a tool is a call of that tool. */
function calledTool(role: unknown, recipient: unknown): string | null {
  const name = textOf(recipient)
  return role === 'assistant' && !['', 'all', 'assistant', 'user'].includes(name) ? name : null
}

/** Content that is part of no conversation: the settings of the account, and the model's thoughts. */
const SILENT = ['user_editable_context', 'model_editable_context', 'thoughts', 'reasoning_recap']

function contentParts(content: JsonRecord): ContentPart[] {
  const type = textOf(content['content_type'])
  if (SILENT.includes(type)) return []
  if (type === 'code') return [text(fenced(content))]
  if (type === 'tether_quote' || type === 'sonic_webpage')
    return [text(lines(content['title'], content['url'], content['text']))]
  if (type === 'tether_browsing_display') return [text(lines(content['summary'], content['result']))]
  if (type === 'system_error') return [text(lines(content['name'], content['text']))]
  const parts = listOf(content['parts'])
  if (parts.length === 0) return [text(lines(content['text'], content['result'], content['content']))]
  const isSpoken = parts.some(part => recordOf(part)['content_type'] === 'audio_transcription')
  return parts.map(part => contentPart(part, isSpoken)).filter(part => part !== null)
}

/** A spoken message has a recording and its words. Then the words are enough. */
function contentPart(part: unknown, isSpoken: boolean): ContentPart | null {
  if (typeof part === 'string') return text(part)
  const fields = recordOf(part)
  const id = assetOf(part)
  if (fields['content_type'] === 'image_asset_pointer') return { type: 'image', ...(id && { id }) }
  if (id !== '') return isSpoken ? null : { type: 'file', id }
  return text(textOf(fields['text']))
}

/** Files that the user sent. Images among them may already be in the content. */
function attachments(message: JsonRecord): ContentPart[] {
  const shown = listOf(recordOf(message['content'])['parts']).map(assetOf)
  return listOf(recordOf(message['metadata'])['attachments']).flatMap(entry => {
    const { id: given, name, mime_type: type } = recordOf(entry)
    const [id, filename, mediaType] = [idOf(given), nameOf(name), textOf(type)]
    if (filename === null || (id !== null && shown.some(asset => asset.endsWith(id)))) return []
    return [
      {
        type: mediaType.startsWith('image/') ? ('image' as const) : ('file' as const),
        ...(id !== null && { id }),
        filename,
        ...(mediaType !== '' && { mediaType }),
      },
    ]
  })
}

/** Where an image or a recording is stored; empty: the part is neither. */
function assetOf(part: unknown): string {
  const { asset_pointer: asset, audio_asset_pointer: audio } = recordOf(part)
  return textOf(asset) || textOf(recordOf(audio)['asset_pointer'])
}

function fenced({ language, text }: JsonRecord): string {
  const code = textOf(text)
  if (code.trim() === '') return ''
  const name = language === 'unknown' ? '' : textOf(language)
  return `\`\`\`${name}\n${code}\n\`\`\``
}

function lines(...texts: unknown[]): string {
  return texts
    .map(textOf)
    .filter(line => line !== '')
    .join('\n')
}

function text(value: string): ContentPart {
  return { type: 'text', text: value }
}
