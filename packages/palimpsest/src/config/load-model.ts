import { InvalidSettingsError, MissingPeerError } from '../errors.ts'
import type { LanguageModelLike } from '../summarizer/model/language-model.ts'
import { fetchWithoutRedirects } from './fetch-without-redirects.ts'
import { MODEL_PROVIDERS, splitModelName } from './model-name.ts'
import type { SettingValues } from './schema.ts'
import { findSetting } from './schema.ts'

type Access = Pick<SettingValues, 'modelBaseUrl' | 'modelApiKey'>

/** Loads a model by its checked name, `provider:model`. The provider's library is loaded only here. */
export async function loadModel(model: string, access: Access): Promise<LanguageModelLike> {
  const { provider, name } = splitModelName(model)
  const { peer, needs } = MODEL_PROVIDERS[provider]
  if (access[needs] === null) throw missing(model, needs)
  // If the `ai` package is missing, this finds it now. Otherwise the error would come only at the first fold.
  await peerOf('ai', import('ai'))
  const { modelBaseUrl: baseURL, modelApiKey: apiKey } = access
  const settings = {
    ...(baseURL !== null && { baseURL }),
    ...(apiKey !== null && { apiKey }),
    fetch: fetchWithoutRedirects,
  }
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await peerOf(peer, import('@ai-sdk/anthropic'))
      return createAnthropic(settings)(name)
    }
    case 'openai': {
      const { createOpenAI } = await peerOf(peer, import('@ai-sdk/openai'))
      return createOpenAI(settings)(name)
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await peerOf(peer, import('@ai-sdk/openai-compatible'))
      // Such servers report the usage of a stream only when they are asked for it.
      const asked = { includeUsage: true }
      return createOpenAICompatible({ ...settings, ...asked, name: provider, baseURL: baseURL! })(name)
    }
  }
}

function peerOf<Module>(peer: string, loading: Promise<Module>): Promise<Module> {
  return loading.catch(cause => {
    throw new MissingPeerError(peer, 'A language model', cause)
  })
}

function missing(model: string, needs: 'modelBaseUrl' | 'modelApiKey'): InvalidSettingsError {
  const { environment, allowed } = findSetting(needs)!
  return new InvalidSettingsError([
    {
      setting: needs,
      value: null,
      allowed: `${allowed.replace(', or none', '')}; ${model} needs one: set ${needs} or ${environment}`,
    },
  ])
}
