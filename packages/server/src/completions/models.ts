import type { SettingValues } from 'palimpsest/internals/config/index'
import { splitModelName } from 'palimpsest/internals/config/model-name'
import { SEARCH_MODEL } from './search-answer.ts'

/**
 * The model that answers, in the form of OpenAI's model list. `id` is the name that
 * the caller uses; any name is accepted.
 */
export function modelJson({ model }: Pick<SettingValues, 'model'>, id?: string) {
  const { provider, name } =
    model === null ? { provider: 'palimpsest', name: SEARCH_MODEL } : splitModelName(model)
  return { id: id ?? name, object: 'model', created: 0, owned_by: provider }
}
