import { loadModel, type Resolved } from '../../palimpsest/src/config/index.ts'
import type { Responder } from '../../bot/src/responder.ts'
import { type ModelResponderOptions, modelResponder } from '../../bot/src/responders/model-responder.ts'
import { searchResponder } from '../../bot/src/responders/search-responder.ts'
import { reserveOf } from '../../server/src/output-reserve.ts'

/** What answers as the settings say: a model, or a search in the memory. */
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
