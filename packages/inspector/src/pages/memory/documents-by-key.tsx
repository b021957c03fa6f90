import type { Layer } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { WhenLoaded } from '../../ui/loading.tsx'
import { DocumentRow } from './document-row.tsx'
import { LayerGroup } from './layer-group.tsx'
import { useDocuments } from './use-documents.ts'

const useTexts = defineTexts({
  en: { none: 'None yet.', more: 'More' },
  zh: { none: '暂无。', more: '更多' },
})

const AT_A_TIME = 50

export function DocumentsByKey({
  layer,
  chosenKey,
}: {
  readonly layer: Layer
  readonly chosenKey: string | undefined
}) {
  const texts = useTexts()
  const { loaded, more } = useDocuments(layer, AT_A_TIME)
  return (
    <LayerGroup layer={layer}>
      <WhenLoaded loaded={loaded}>
        {({ heads, hasMore }) => (
          <>
            {heads.length === 0 && <p class="hint memory-none">{texts.none}</p>}
            <ul>
              {heads.map(head => (
                <DocumentRow key={head.key} name={head} head={head} isChosen={head.key === chosenKey} />
              ))}
            </ul>
            {hasMore && (
              <Button look="quiet" onClick={more} disabled={loaded.isLoading}>
                {texts.more}
              </Button>
            )}
          </>
        )}
      </WhenLoaded>
    </LayerGroup>
  )
}
