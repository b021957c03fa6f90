import type { SettingValues } from 'palimpsest/internals/config/index'
import { splitModelName } from 'palimpsest/internals/config/model-name'
import { SEARCH_MODEL } from './search-answer.ts'

/** The one that answers, as OpenAI lists models. `id`: the name that somebody calls it by; any is taken. */
export function modelJson({ model }: Pick<SettingValues, 'model'>, id?: string) {
  const { provider, name } =
    model === null ? { provider: 'palimpsest', name: SEARCH_MODEL } : splitModelName(model)
  return { id: id ?? name, object: 'model', created: 0, owned_by: provider }
}
