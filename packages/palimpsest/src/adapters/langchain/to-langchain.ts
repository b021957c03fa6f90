import type { BaseMessage, SystemMessage } from '@langchain/core/messages'
import {
  type AnthropicAssistantBlock,
  type AnthropicTextBlock,
  type AnthropicUserBlock,
  type OpenAIAssistantMessage,
  type OpenAIContentPart,
  toAnthropic,
  toOpenAI,
} from '../../context/index.ts'
import type { Sent } from '../../turn/index.ts'
import type { Peers } from './peers.ts'

/**
 * `anthropic`: with its thoughts and cache marks. `others`: without both, in the blocks of chat completions.
 */
export type Target = 'anthropic' | 'others'

export interface ModelInput {
  readonly system: SystemMessage
  readonly messages: BaseMessage[]
}

type Classes = Pick<Peers['messages'], 'AIMessage' | 'HumanMessage' | 'SystemMessage' | 'ToolMessage'>

/** A context as LangChain's models take it. `context/` has already applied the providers' own rules. */
export function toModelInput(sent: Sent, target: Target, classes: Classes): ModelInput {
  return target === 'anthropic' ? anthropicInput(sent, classes) : plainInput(sent, classes)
}

function plainInput(sent: Sent, classes: Classes): ModelInput {
  let system = ''
  const messages: BaseMessage[] = []
  for (const message of toOpenAI(sent).messages)
    switch (message.role) {
      case 'system':
        system = message.content
        break
      case 'user':
        messages.push(new classes.HumanMessage({ content: userContent(message.content) }))
        break
      case 'assistant':
        messages.push(assistantMessage(message, classes))
        break
      case 'tool':
        messages.push(
          new classes.ToolMessage({ content: message.content, tool_call_id: message.tool_call_id }),
        )
        break
    }
  return { system: new classes.SystemMessage(system), messages }
}

type Blocks = Exclude<BaseMessage['content'], string>

function userContent(content: string | OpenAIContentPart[]): string | Blocks {
  return typeof content === 'string' ? content : (content.map(userBlock) as Blocks)
}

/** All models of LangChain read a file in LangChain's own shape. */
function userBlock(part: OpenAIContentPart): object {
  if (part.type !== 'file') return part
  const { filename, file_data } = part.file
  const comma = file_data.indexOf(',')
  return {
    type: 'file',
    source_type: 'base64',
    mime_type: file_data.slice('data:'.length, comma).replace(/;base64$/, ''),
    data: file_data.slice(comma + 1),
    metadata: { filename },
  }
}

function assistantMessage(
  { content, tool_calls = [] }: OpenAIAssistantMessage,
  classes: Classes,
): BaseMessage {
  return new classes.AIMessage({
    content: content ?? '',
    tool_calls: tool_calls.map(({ id, function: called }) => ({
      type: 'tool_call',
      id,
      name: called.name,
      args: JSON.parse(called.arguments),
    })),
  })
}

function anthropicInput(sent: Sent, classes: Classes): ModelInput {
  const { system, messages } = toAnthropic(sent)
  const given: BaseMessage[] = []
  for (const { role, content } of messages) {
    if (role === 'assistant') given.push(anthropicReply(content, classes))
    else given.push(...anthropicUser(content, { before: given.at(-1), classes }))
  }
  return {
    system: new classes.SystemMessage({ content: (system ?? '') as string | Blocks }),
    messages: given,
  }
}

/** LangChain's class for Anthropic wants the calls in both places. */
function anthropicReply(content: readonly AnthropicAssistantBlock[], classes: Classes): BaseMessage {
  const calls = content.filter(block => block.type === 'tool_use')
  return new classes.AIMessage({
    content: content.map(block => ({ ...block })) as Blocks,
    tool_calls: calls.map(({ id, name, input }) => ({ type: 'tool_call', id, name, args: input })),
  })
}

function anthropicUser(
  content: readonly AnthropicUserBlock[],
  { before, classes }: { before: BaseMessage | undefined; classes: Classes },
): BaseMessage[] {
  const messages: BaseMessage[] = []
  const said: object[] = []
  for (const block of content)
    if (block.type === 'tool_result') {
      messages.push(
        new classes.ToolMessage({ content: block.content ?? '', tool_call_id: block.tool_use_id }),
      )
      if (block.cache_control) markCalls(before)
    } else said.push(imageAsUrl(block))
  return said.length > 0 ? [...messages, new classes.HumanMessage({ content: said as Blocks })] : messages
}

/**
 * A `ToolMessage` cannot carry the mark. So the mark goes to the calls right before it, and the next mark
 * covers the results.
 */
function markCalls(message: BaseMessage | undefined): void {
  const blocks = (Array.isArray(message?.content) ? message.content : []) as AnthropicTextBlock[]
  const last = blocks.at(-1)
  if (last) last.cache_control = { type: 'ephemeral' }
}

/** LangChain's class for Anthropic drops everything after an image in Anthropic's own shape. */
function imageAsUrl(block: Exclude<AnthropicUserBlock, { type: 'tool_result' }>): object {
  if (block.type !== 'image') return { ...block }
  const { source, cache_control } = block
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`
  return { type: 'image_url', image_url: { url }, ...(cache_control && { cache_control }) }
}
