import { splitModelName } from 'palimpsest/internals/config/model-name'
import type { ProviderOptions } from 'palimpsest/internals/turn/sdk'
import type { ChatRequest } from './request.ts'

/** The fields of the request that the AI SDK has its own settings for. */
export function callSettings(body: ChatRequest) {
  const { temperature, top_p, presence_penalty, frequency_penalty, seed, stop, reasoning_effort } = body
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens
  return {
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { topP: top_p }),
    ...(presence_penalty !== undefined && { presencePenalty: presence_penalty }),
    ...(frequency_penalty !== undefined && { frequencyPenalty: frequency_penalty }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(stop !== undefined && { stopSequences: typeof stop === 'string' ? [stop] : stop }),
    ...(seed !== undefined && { seed }),
    ...(reasoning_effort !== undefined && { reasoning: reasoning_effort }),
  }
}

/** Fields that go to OpenAI, with the names that its package of the SDK uses. */
const PASSED_ON: Readonly<Record<string, string>> = {
  service_tier: 'serviceTier',
  store: 'store',
  metadata: 'metadata',
  prompt_cache_key: 'promptCacheKey',
  safety_identifier: 'safetyIdentifier',
  verbosity: 'textVerbosity',
  parallel_tool_calls: 'parallelToolCalls',
}

/** Fields that a provider of this same protocol takes unchanged. */
const AS_THEY_ARE = [
  ...['service_tier', 'store', 'metadata', 'prompt_cache_key', 'safety_identifier', 'verbosity'],
  ...['parallel_tool_calls', 'logit_bias', 'prediction', 'response_format'],
]

/** The fields that the SDK has no setting for. `model` is the name as the settings write it. */
export function providerOptionsOf(body: ChatRequest, model: string): ProviderOptions {
  const { provider } = splitModelName(model)
  const given = (names: readonly string[]) => names.filter(name => body[name] !== undefined)
  const options = {
    anthropic: () =>
      body.parallel_tool_calls === undefined
        ? []
        : [['disableParallelToolUse', !body.parallel_tool_calls] as const],
    openai: () => given(Object.keys(PASSED_ON)).map(name => [PASSED_ON[name]!, body[name]] as const),
    'openai-compatible': () => given(AS_THEY_ARE).map(name => [name, body[name]] as const),
  }[provider]()
  const key = provider === 'openai-compatible' ? 'openaiCompatible' : provider
  return options.length === 0 ? {} : ({ [key]: Object.fromEntries(options) } as ProviderOptions)
}
