/**
 * A language model of the AI SDK, as `anthropic('…')` or `openaiCompatible('…')` gives it. Holds only what is
 * needed to know one, so that code without models compiles without the package `ai`.
 */
export interface LanguageModelLike {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(options: never): PromiseLike<unknown>
}

export function isLanguageModel(value: unknown): value is LanguageModelLike {
  const { modelId, provider, doGenerate } = (value ?? {}) as Partial<LanguageModelLike>
  return typeof doGenerate === 'function' && typeof modelId === 'string' && typeof provider === 'string'
}

export function modelName({ provider, modelId }: LanguageModelLike): string {
  return `${provider}:${modelId}`
}
