import type { LanguageModelMiddleware } from 'ai'
import { splitModelName } from 'palimpsest/internals/config/model-name'
import { type Language, textsOf } from 'palimpsest/internals/language/index'
import type { ChatRequest } from './request.ts'

type Params = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params']
type PromptMessage = Params['prompt'][number]
type UserPart = Extract<PromptMessage, { role: 'user' }>['content'][number]

interface Told {
  /** As the settings name it. */
  readonly model: string
  /** Said at the very end. */
  readonly reminder: string
  /** Of the turn's context. */
  readonly language: Language
}

/** What is told to the model below the SDK, which would check the answer against it: here that is for the client. */
export function callMiddleware(
  body: ChatRequest,
  { model, reminder, language }: Told,
): LanguageModelMiddleware {
  const isPlain = splitModelName(model).provider === 'openai-compatible'
  // It is given the form as the client wrote it.
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

/** A turn that begins with the results of calls leaves its reminder out. */
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

/** This protocol has links to pictures only: any other would fail every call from now on. */
function withoutLinkedFiles(message: PromptMessage): PromptMessage {
  if (message.role !== 'user') return message
  return { ...message, content: message.content.map(named) }
}

function named(part: UserPart): UserPart {
  if (part.type !== 'file' || part.data.type !== 'url' || part.mediaType.startsWith('image')) return part
  return { type: 'text', text: `(file: ${part.filename ?? part.data.url.href})` }
}
