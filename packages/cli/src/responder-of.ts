import type { Responder } from '@palimpsest/bot/internals/responder'
import {
  type ModelResponderOptions,
  modelResponder,
} from '@palimpsest/bot/internals/responders/model-responder'
import { searchResponder } from '@palimpsest/bot/internals/responders/search-responder'
import { reserveOf } from '@palimpsest/server/internals/output-reserve'
import { loadModel, type Resolved } from 'palimpsest/internals/config/index'

/** The responder that the settings ask for: a model, or a search in the memory. */
export async function responderOf(
  resolved: Resolved,
  options: Pick<ModelResponderOptions, 'instructions' | 'tools'> = {},
): Promise<Responder> {
  const { values } = resolved
  if (values.model === null) return searchResponder({ zone: values.zone })
  return modelResponder({
    ...options,
    model: await loadModel(values.model, values),
    ...reserveOf(resolved, resolved),
  })
}
