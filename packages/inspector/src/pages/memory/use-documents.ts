import { useState } from 'preact/hooks'
import { listDocuments } from '../../api/index.ts'
import type { DocumentHead, Layer } from '../../api/types.ts'
import { useEvents } from '../../state/use-events.ts'
import { type Loaded, useLoaded } from '../../state/use-loaded.ts'
import { isChangeIn } from './layers.ts'

interface Documents {
  readonly heads: readonly DocumentHead[]
  readonly hasMore: boolean
}

/** The documents of a layer, by key. `more` loads as many again. */
export function useDocuments(
  layer: Layer,
  atATime: number,
): { readonly loaded: Loaded<Documents>; readonly more: () => void } {
  const [pages, setPages] = useState(1)
  const loaded = useLoaded(signal => readPages(layer, { pages, atATime, signal }), [layer])
  useEvents(event => isChangeIn(event, layer), loaded.reload)
  const more = () => {
    setPages(before => before + 1)
    loaded.reload()
  }
  return { loaded, more }
}

async function readPages(
  layer: Layer,
  { pages, atATime, signal }: { pages: number; atATime: number; signal: AbortSignal },
): Promise<Documents> {
  const heads: DocumentHead[] = []
  let after: string | null = null
  for (let page = 0; page < pages; page++) {
    const from: { after?: string } = after === null ? {} : { after }
    const { documents, next } = await listDocuments({ layer, limit: atATime, ...from }, { signal })
    heads.push(...documents)
    after = next
    if (next === null) break
  }
  return { heads, hasMore: after !== null }
}
