import { useRef, useState } from 'preact/hooks'
import type { SessionFigures } from '../../../api/types.ts'
import { defineTexts } from '../../../language/language.ts'
import { useSessionEvents } from '../../../state/use-events.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { WhenLoaded } from '../../../ui/loading.tsx'
import { Empty } from '../../../ui/notice.tsx'
import { FoldChart } from './fold-chart.tsx'
import { FoldNow } from './fold-now.tsx'
import { FoldTable } from './fold-table.tsx'
import { type LoadedFolds, loadOlder } from './load-folds.ts'
import { type FoldHistory, loadHistory } from './load-history.ts'
import './folds.css'

const useTexts = defineTexts({
  en: { none: 'Nothing was folded yet: all messages are sent as they were said.' },
  zh: { none: '尚未折叠：所有消息都逐字发送。' },
})

export function FoldsTab({ session }: { readonly session: SessionFigures }) {
  const texts = useTexts()
  const { id } = session
  const known = useRef<FoldHistory | null>(null)
  const loaded = useLoaded(
    async signal => {
      known.current = await loadHistory(session, known.current, signal)
      return known.current
    },
    [id],
  )
  useSessionEvents(id, loaded.reload)
  // Folds that are older than the curve shows, once the reader asks for them.
  const [older, setOlder] = useState<LoadedFolds | null>(null)
  return (
    <div class="folds-tab">
      <WhenLoaded loaded={loaded}>
        {history => {
          const folds = older === null ? history.folds : [...history.folds, ...older.folds]
          const next = older === null ? history.next : older.next
          const showOlder = async () => setOlder(await loadOlder(id, { folds: older?.folds ?? [], next }))
          return (
            <>
              {/* One message makes no curve. */}
              {history.growth.length > 1 && <FoldChart session={session} history={history} />}
              <FoldNow sessionId={id} onFold={loaded.reload} />
              {folds.length === 0 ? (
                <Empty>{texts.none}</Empty>
              ) : (
                <FoldTable
                  sessionId={id}
                  folds={folds}
                  condensed={history.condensed}
                  loadOlder={next === null ? null : showOlder}
                />
              )}
            </>
          )
        }}
      </WhenLoaded>
    </div>
  )
}
