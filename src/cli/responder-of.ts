import { loadModel, type Resolved } from '../config/index.ts'
import type { Responder } from '../runtime/responder.ts'
import { type ModelResponderOptions, modelResponder } from '../runtime/responders/model-responder.ts'
import { searchResponder } from '../runtime/responders/search-responder.ts'

/** What answers as the settings say: a model, or a search in the memory. */
export async function responderOf(
  { values, sources }: Resolved,
  options: Pick<ModelResponderOptions, 'instructions' | 'tools'> = {},
): Promise<Responder> {
  if (values.model === null) return searchResponder({ zone: values.zone })
  return modelResponder({
    ...options,
    model: await loadModel(values.model, values),
    ...(sources['outputReserve'] !== 'default' && { outputReserve: values.outputReserve }),
  })
}
