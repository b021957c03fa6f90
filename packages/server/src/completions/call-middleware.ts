import type { LanguageModelMiddleware } from 'ai'
import { splitModelName } from 'palimpsest/internals/config/model-name'
import { type Language, textsOf } from 'palimpsest/internals/language/index'
import type { ChatRequest } from './request.ts'

type Params = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params']
type PromptMessage = Params['prompt'][number]
type UserPart = Extract<PromptMessage, { role: 'user' }>['content'][number]

interface Told {
  /** The model's name, as the settings write it. */
  readonly model: string
  /** Text for the model, placed at the very end of the prompt. */
  readonly reminder: string
  /** The language of the turn's context. */
  readonly language: Language
}

/**
 * Sets what the model is told below the level of the SDK. The SDK would check the answer against the response
 * format and tool choice; here that check is left to the client.
 */
export function callMiddleware(
  body: ChatRequest,
  { model, reminder, language }: Told,
): LanguageModelMiddleware {
  const isPlain = splitModelName(model).provider === 'openai-compatible'
  // This provider gets the format as the client wrote it, through `providerOptionsOf`.
  const responseFormat = isPlain ? undefined : responseFormatOf(body)
  const toolChoice = toolChoiceOf(body)
  return {
    specificationVersion: 'v4',
    transformParams: async ({ params }) => ({
      ...params,
      prompt: reminded(isPlain ? params.prompt.map(withoutLinkedFiles) : params.prompt, {
        reminder,
        language,
      }),
      ...(responseFormat && { responseFormat }),
      ...(toolChoice && params.tools && { toolChoice }),
    }),
  }
}

/** A turn leaves its reminder out if the prompt ends with tool results, so it is added here. */
function reminded(
  prompt: Params['prompt'],
  { reminder, language }: Pick<Told, 'reminder' | 'language'>,
): Params['prompt'] {
  if (reminder === '' || prompt.at(-1)?.role !== 'tool') return prompt
  return [
    ...prompt,
    { role: 'user', content: [{ type: 'text', text: `[${textsOf(language).roles.system}]: ${reminder}` }] },
  ]
}

function toolChoiceOf({ tool_choice: choice }: ChatRequest): Params['toolChoice'] {
  if (choice === undefined) return undefined
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.function.name }
}

function responseFormatOf({ response_format: format }: ChatRequest): Params['responseFormat'] {
  if (format === undefined || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  const { schema, name } = format['json_schema'] as { schema?: object; name: string }
  return { type: 'json', ...(schema && { schema }), name } as Params['responseFormat']
}

/**
 * This protocol allows links to pictures only. A link to another file would stay in the history and make
 * every later call fail.
 */
function withoutLinkedFiles(message: PromptMessage): PromptMessage {
  if (message.role !== 'user') return message
  return { ...message, content: message.content.map(named) }
}

function named(part: UserPart): UserPart {
  if (part.type !== 'file' || part.data.type !== 'url' || part.mediaType.startsWith('image')) return part
  return { type: 'text', text: `(file: ${part.filename ?? part.data.url.href})` }
}
