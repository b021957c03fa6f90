import type { DocumentVersion, Layer } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { DiffView } from './diff-view.tsx'
import { VersionAuthor } from './version-author.tsx'
import { VersionSources } from './version-sources.tsx'

const useTexts = defineTexts({
  en: {
    version: (version: string) => `Version ${version}`,
    undoes: (version: string) => `undo of version ${version}`,
    undone: 'undone',
    undo: 'Undo',
    undoThis: (version: string) => `Undo version ${version}`,
  },
  zh: {
    version: (version: string) => `版本 ${version}`,
    undoes: (version: string) => `撤销了版本 ${version}`,
    undone: '已撤销',
    undo: '撤销',
    undoThis: (version: string) => `撤销版本 ${version}`,
  },
})

export function VersionEntry({
  layer,
  version,
  earlier,
  isUndone,
  onUndo,
}: {
  readonly layer: Layer
  readonly version: DocumentVersion
  /** The text before this version. */
  readonly earlier: string
  readonly isUndone: boolean
  readonly onUndo: () => void
}) {
  const texts = useTexts()
  const { number, moment } = useFormats()
  const written = number(version.version)
  return (
    <li class="memory-version">
      <header>
        <h3>{texts.version(written)}</h3>
        <VersionAuthor author={version.author} layer={layer} />
        {version.undoes !== null && <span class="chip">{texts.undoes(number(version.undoes))}</span>}
        {isUndone && <span class="chip warn">{texts.undone}</span>}
        <time class="hint" dateTime={version.at}>
          {moment(version.at)}
        </time>
        {!isUndone && (
          <Button look="quiet" aria-label={texts.undoThis(written)} onClick={onUndo}>
            {texts.undo}
          </Button>
        )}
      </header>
      <DiffView earlier={earlier} later={version.content} />
      <VersionSources sources={version.sources} />
    </li>
  )
}
