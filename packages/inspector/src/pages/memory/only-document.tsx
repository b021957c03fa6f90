import { WhenLoaded } from '../../ui/loading.tsx'
import { DocumentRow } from './document-row.tsx'
import { LayerGroup } from './layer-group.tsx'
import { ONLY_KEY } from './layers.ts'
import { useDocuments } from './use-documents.ts'

/** A layer that has at most one document. */
export function OnlyDocument({
  layer,
  chosenKey,
}: {
  readonly layer: 'persona' | 'global'
  readonly chosenKey: string | undefined
}) {
  const { loaded } = useDocuments(layer, 1)
  return (
    <LayerGroup layer={layer}>
      <WhenLoaded loaded={loaded}>
        {({ heads }) => (
          <ul>
            <DocumentRow name={{ layer, key: ONLY_KEY }} head={heads[0]} isChosen={chosenKey !== undefined} />
          </ul>
        )}
      </WhenLoaded>
    </LayerGroup>
  )
}
