/** The provider libraries. `needs` is the setting that a library cannot do without. */
export const MODEL_PROVIDERS = {
  anthropic: { peer: '@ai-sdk/anthropic', needs: 'modelApiKey' },
  openai: { peer: '@ai-sdk/openai', needs: 'modelApiKey' },
  'openai-compatible': { peer: '@ai-sdk/openai-compatible', needs: 'modelBaseUrl' },
} as const

export type ModelProvider = keyof typeof MODEL_PROVIDERS

export const MODEL_NAME_RULE = `provider:model with a provider of ${Object.keys(MODEL_PROVIDERS).join(', ')}`

export function isModelName(text: string): boolean {
  const { provider, name } = splitModelName(text)
  return Object.hasOwn(MODEL_PROVIDERS, provider) && name.trim() !== ''
}

/** The model's own name may hold colons: `openai-compatible:qwen3:8b`. */
export function splitModelName(text: string): { readonly provider: ModelProvider; readonly name: string } {
  const [provider = '', ...name] = text.split(':')
  return { provider: provider as ModelProvider, name: name.join(':') }
}
