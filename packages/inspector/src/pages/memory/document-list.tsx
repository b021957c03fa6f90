import { defineTexts } from '../../language/language.ts'
import { DailyLogs } from './daily-logs.tsx'
import { DocumentsByKey } from './documents-by-key.tsx'
import { type DocumentName, hasOneDocument, LAYERS } from './layers.ts'
import { OnlyDocument } from './only-document.tsx'
import { OpenDocument } from './open-document.tsx'

const useTexts = defineTexts({ en: { documents: 'Documents' }, zh: { documents: '文档' } })

export function DocumentList({ chosen }: { readonly chosen: DocumentName | null }) {
  const texts = useTexts()
  const keyIn = (layer: DocumentName['layer']) => (chosen?.layer === layer ? chosen.key : undefined)
  return (
    <nav class="memory-list" aria-label={texts.documents}>
      {LAYERS.map(layer => {
        if (hasOneDocument(layer)) return <OnlyDocument key={layer} layer={layer} chosenKey={keyIn(layer)} />
        if (layer === 'daily') return <DailyLogs key={layer} chosenKey={keyIn(layer)} />
        return <DocumentsByKey key={layer} layer={layer} chosenKey={keyIn(layer)} />
      })}
      <OpenDocument />
    </nav>
  )
}
