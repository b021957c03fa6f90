import { useId, useState } from 'preact/hooks'
import { listDocuments, readDay } from '../../api/index.ts'
import type { DocumentHead } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { useEvents } from '../../state/use-events.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { WhenLoaded } from '../../ui/loading.tsx'
import { DocumentRow } from './document-row.tsx'
import { LayerGroup } from './layer-group.tsx'
import { isChangeIn } from './layers.ts'

const useTexts = defineTexts({
  en: {
    day: 'Day',
    none: 'None yet.',
    noneThen: 'None on that day.',
    recent: 'Of today and yesterday; choose a day for older ones.',
    cut: 'There are more than are shown here.',
  },
  zh: {
    day: '日期',
    none: '暂无。',
    noneThen: '当天没有。',
    recent: '今天和昨天的记录；选择日期查看更早的。',
    cut: '还有更多，未在此显示。',
  },
})

const MAX = 200

interface Logs {
  readonly heads: readonly DocumentHead[]
  /** `recent`: there are too many logs to show all. */
  readonly of: 'all' | 'recent' | 'day'
  readonly isCut: boolean
}

/**
 * The server lists logs oldest first. If there are few, the page shows all of them, newest first. Otherwise
 * it shows the logs of one day.
 */
export function DailyLogs({ chosenKey }: { readonly chosenKey: string | undefined }) {
  const texts = useTexts()
  const field = useId()
  const [day, setDay] = useState('')
  const loaded = useLoaded(signal => (day === '' ? readRecent(signal) : logsOf(day, signal)), [day])
  useEvents(event => isChangeIn(event, 'daily'), loaded.reload)
  return (
    <LayerGroup layer="daily">
      <p class="memory-day">
        <label for={field}>{texts.day}</label>
        <input id={field} type="date" value={day} onInput={event => setDay(event.currentTarget.value)} />
      </p>
      <WhenLoaded loaded={loaded}>
        {({ heads, of, isCut }) => (
          <>
            {of === 'recent' && <p class="hint">{texts.recent}</p>}
            {heads.length === 0 && (
              <p class="hint memory-none">{of === 'all' ? texts.none : texts.noneThen}</p>
            )}
            <ul>
              {heads.map(head => (
                <DocumentRow key={head.key} name={head} head={head} isChosen={head.key === chosenKey} />
              ))}
            </ul>
            {isCut && <p class="hint">{texts.cut}</p>}
          </>
        )}
      </WhenLoaded>
    </LayerGroup>
  )
}

async function readRecent(signal: AbortSignal): Promise<Logs> {
  const { documents, next } = await listDocuments({ layer: 'daily', limit: MAX }, { signal })
  if (next === null) return { heads: documents.toReversed(), of: 'all', isCut: false }
  const today = new Date()
  const yesterday = new Date(today)
  yesterday.setDate(today.getDate() - 1)
  const found = await Promise.all([today, yesterday].map(date => logsOf(dayOf(date), signal)))
  return {
    heads: found.flatMap(({ heads }) => heads),
    of: 'recent',
    isCut: found.some(({ isCut }) => isCut),
  }
}

async function logsOf(day: string, signal: AbortSignal): Promise<Logs> {
  const { documents, next } = await readDay(day, { limit: MAX }, { signal })
  return { heads: documents, of: 'day', isCut: next !== null }
}

function dayOf(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map(each => String(each).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}
