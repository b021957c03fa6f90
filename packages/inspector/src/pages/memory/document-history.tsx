import { useState } from 'preact/hooks'
import { readVersions } from '../../api/index.ts'
import type { DocumentVersion, MemoryDocument } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { useEvents } from '../../state/use-events.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Button } from '../../ui/button.tsx'
import { WhenLoaded } from '../../ui/loading.tsx'
import { type DocumentName, isChangeOf } from './layers.ts'
import { UndoDialog } from './undo-dialog.tsx'
import { undoneVersions } from './undone-versions.ts'
import { VersionEntry } from './version-entry.tsx'

const useTexts = defineTexts({
  en: {
    older: 'Older versions',
    done: (undone: string, version: string) =>
      `Version ${undone} is undone: the document is version ${version} now.`,
  },
  zh: {
    older: '更早的版本',
    done: (undone: string, version: string) => `版本 ${undone} 已撤销：文档现在是版本 ${version}。`,
  },
})

const AT_A_TIME = 20

interface History {
  readonly versions: readonly DocumentVersion[]
  readonly hasOlder: boolean
}

/** The versions of a document, newest first. */
export function DocumentHistory({
  name,
  onChanged,
}: {
  readonly name: DocumentName
  readonly onChanged: () => void
}) {
  const texts = useTexts()
  const { number } = useFormats()
  const { layer, key } = name
  const [pages, setPages] = useState(1)
  const [asked, setAsked] = useState<{ version: DocumentVersion; earlier: string } | null>(null)
  const [result, setResult] = useState<{ undone: number; now: MemoryDocument } | null>(null)
  const loaded = useLoaded(signal => readHistory(name, { pages, signal }), [layer, key])
  useEvents(event => isChangeOf(event, name), loaded.reload)
  return (
    <WhenLoaded loaded={loaded}>
      {({ versions, hasOlder }) => {
        const undone = undoneVersions(versions)
        const shown = hasOlder ? versions.slice(0, -1) : versions
        return (
          <div class="memory-history">
            {result !== null && (
              <p class="notice good" role="status">
                {texts.done(number(result.undone), number(result.now.version))}
              </p>
            )}
            <ol>
              {shown.map((version, place) => {
                const earlier = versions[place + 1]?.content ?? ''
                return (
                  <VersionEntry
                    key={version.version}
                    layer={layer}
                    version={version}
                    earlier={earlier}
                    isUndone={undone.has(version.version)}
                    onUndo={() => setAsked({ version, earlier })}
                  />
                )
              })}
            </ol>
            {hasOlder && (
              <Button
                disabled={loaded.isLoading}
                onClick={() => {
                  setPages(pages + 1)
                  loaded.reload()
                }}
              >
                {texts.older}
              </Button>
            )}
            {asked !== null && (
              <UndoDialog
                {...asked}
                name={name}
                onClose={() => setAsked(null)}
                onUndone={now => {
                  setResult({ undone: asked.version.version, now })
                  setAsked(null)
                  loaded.reload()
                  onChanged()
                }}
              />
            )}
          </div>
        )
      }}
    </WhenLoaded>
  )
}

/** Reads one version more than the page shows, since the oldest one on the page is compared with it. */
async function readHistory(
  { layer, key }: DocumentName,
  { pages, signal }: { readonly pages: number; readonly signal: AbortSignal },
): Promise<History> {
  const wanted = pages * AT_A_TIME + 1
  const versions: DocumentVersion[] = []
  let before: number | null = null
  do {
    const limit = Math.min(100, wanted - versions.length)
    const from: { before?: number } = before === null ? {} : { before }
    const page = await readVersions(layer, key, { limit, ...from }, { signal })
    versions.push(...page.versions)
    before = page.next
  } while (before !== null && versions.length < wanted)
  return { versions, hasOlder: versions.length === wanted }
}
