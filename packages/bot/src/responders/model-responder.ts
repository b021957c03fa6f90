import { InvalidArgumentError, MissingPeerError } from 'palimpsest/internals/errors'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import type { Language } from 'palimpsest/internals/language/index'
import { contentText } from 'palimpsest/internals/log/index'
import { isLanguageModel, type LanguageModelLike } from 'palimpsest/internals/summarizer/model/language-model'
import type { TurnOptions } from 'palimpsest/internals/turn/index'
import { EmptyReplyError } from '../empty-reply.ts'
import type { Reply, ReplyRequest, Responder } from '../responder.ts'
import { answerWhom, groupInstructions } from './group-instructions.ts'
import { replyText } from './reply-text.ts'

export interface ModelResponderOptions<Tools extends object = object>
  extends Pick<
    TurnOptions<Tools>,
    'instructions' | 'tools' | 'maxSteps' | 'memoryTools' | 'budget' | 'outputReserve' | 'reasoning'
  > {
  /** Any model of the AI SDK. */
  readonly model: LanguageModelLike
  /** `false`: old messages are shown only when the model asks for them. The default: true. */
  readonly recall?: boolean
}

const OPTIONS = optionsOf<ModelResponderOptions>({
  instructions: true,
  tools: true,
  maxSteps: true,
  memoryTools: true,
  budget: true,
  outputReserve: true,
  reasoning: true,
  model: true,
  recall: true,
})

/**
 * Answers with a language model through the AI SDK. The model gets the memory tools and the given tools.
 *
 * @example
 * const responder = modelResponder({ model: anthropic('claude-haiku-4-5'), instructions: 'You are Bo.' })
 */
export function modelResponder<Tools extends object = object>(
  options: ModelResponderOptions<Tools>,
): Responder {
  checkOptions('modelResponder', options, OPTIONS)
  const { model, recall = true, instructions, ...turnOptions } = options
  if (!isLanguageModel(model))
    throw new InvalidArgumentError('model', model, "a model of the AI SDK, such as anthropic('…')")
  return async (request): Promise<Reply> => {
    const { streamText } = await import('ai').catch(cause => {
      throw new MissingPeerError('ai', 'A language model', cause)
    })
    // `private` is the only trigger in private chats, and it occurs only there.
    const isGroup = request.trigger !== 'private'
    const language = isGroup ? await request.session.language() : null
    const turn = await request.turn<Tools>({
      ...turnOptions,
      model,
      ...allInstructions(instructions, language),
      ...(language !== null && { reminder: answerWhom(request.messages, request.trigger, language) }),
      ...(recall && queryOf(request)),
    })
    const call: object = {
      model,
      ...turn.prompt,
      abortSignal: request.signal,
      // The runtime itself makes further attempts.
      maxRetries: 0,
      // The reader of the text gets the error; without this function the SDK would also log it.
      onError: () => {},
    }
    const result = streamText(call as Parameters<typeof streamText>[0])
    let isEmpty = false
    const text = notEmpty(replyText(result.stream), async () => {
      // An empty answer is right where nothing was asked, or where tools did the work.
      isEmpty =
        request.trigger !== 'proactive' && (await result.steps).every(step => step.toolCalls.length === 0)
      if (isEmpty) throw new EmptyReplyError()
    })
    return { text, finish: () => (isEmpty ? turn.fail(new EmptyReplyError()) : turn.finish(result)) }
  }
}

async function* notEmpty(
  pieces: AsyncIterable<string>,
  onEmpty: () => Promise<void>,
): AsyncGenerator<string> {
  let isEmpty = true
  for await (const piece of pieces) {
    isEmpty &&= piece.trim() === ''
    yield piece
  }
  if (isEmpty) await onEmpty()
}

function allInstructions(
  own: string | undefined,
  language: Language | null,
): Pick<TurnOptions, 'instructions'> {
  const all = [own, language === null ? undefined : groupInstructions(language)].filter(
    text => text !== undefined,
  )
  return all.length > 0 ? { instructions: all.join('\n\n') } : {}
}

function queryOf({ messages }: ReplyRequest): Pick<TurnOptions, 'query'> {
  const query = messages
    .map(({ content }) => contentText(content))
    .join('\n')
    .trim()
  return query === '' ? {} : { query }
}
