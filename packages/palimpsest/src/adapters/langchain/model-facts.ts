import type { Target } from './to-langchain.ts'

/** What a call depends on in its model. */
export interface ModelFacts {
  /** The name under which the token counts are kept; `undefined`: the model does not tell one. */
  readonly name: string | undefined
  readonly target: Target
  /** Anthropic wants its thoughts back within a loop of tool calls. */
  readonly thinks: boolean
}

interface ModelLike {
  readonly model?: unknown
  readonly modelName?: unknown
  readonly thinking?: { readonly type?: unknown }
  readonly bound?: unknown
  readonly _llmType?: () => string
  readonly _getModelInstance?: () => Promise<unknown>
}

/** Read from the model's own fields: the packages of the providers are not imported here. */
export async function factsOf(given: unknown): Promise<ModelFacts> {
  const { model, modelName, thinking, ...rest } = fieldsOf(await innermost(given))
  const name = [model, modelName].find(each => typeof each === 'string' && each !== '') as string | undefined
  const isAnthropic = rest.type === 'anthropic'
  const thinks = isAnthropic && thinking?.type !== undefined && thinking.type !== 'disabled'
  return { name, target: isAnthropic ? 'anthropic' : 'others', thinks }
}

const MAX_WRAPPERS = 8

/** The model inside bindings and inside `initChatModel`, which makes the model only when it is needed. */
async function innermost(given: unknown): Promise<ModelLike> {
  let current = given as ModelLike
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const inner = current?.bound ?? (await current?._getModelInstance?.())
    if (typeof inner !== 'object' || inner === null || inner === current) break
    current = inner as ModelLike
  }
  return current
}

function fieldsOf(model: ModelLike): ModelLike & { type: string | undefined } {
  const { modelName, thinking } = model ?? {}
  return {
    model: model?.model,
    modelName,
    ...(thinking && { thinking }),
    type: typeof model?._llmType === 'function' ? model._llmType() : undefined,
  }
}
