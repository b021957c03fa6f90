import { useState } from 'preact/hooks'
import type { Fold } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { useColumns } from './fold-columns.ts'
import { FoldRow } from './fold-row.tsx'

const useTexts = defineTexts({
  en: {
    title: 'Folds, newest first',
    older: (count: string) => `Show ${count} older`,
    olderStill: 'Show older',
  },
  zh: {
    title: '折叠记录，最新在前',
    older: (count: string) => `显示更早的 ${count} 次`,
    olderStill: '显示更早的',
  },
})

const COLUMNS = ['when', 'messages', 'why', 'outcome', 'tokens', 'took', 'cost'] as const
const NUMBERS: readonly string[] = ['tokens', 'took', 'cost']
const AT_A_TIME = 20

export function FoldTable({
  sessionId,
  folds,
  condensed,
  loadOlder,
}: {
  readonly sessionId: string
  readonly folds: readonly Fold[]
  /** By segment: the tokens saved by condensing older segments into it. */
  readonly condensed: ReadonlyMap<number, number>
  /** `null`: there are no older ones. */
  readonly loadOlder: (() => Promise<void>) | null
}) {
  const texts = useTexts()
  const columns = useColumns()
  const { number } = useFormats()
  const [most, setMost] = useState(AT_A_TIME)
  const [error, setError] = useState<unknown>(null)
  const hidden = Math.max(0, folds.length - most)
  const showOlder = async () => {
    setError(null)
    try {
      if (hidden < AT_A_TIME) await loadOlder?.()
      setMost(most + AT_A_TIME)
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <section class="fold-table">
      <h2>{texts.title}</h2>
      <table>
        <thead>
          <tr>
            {COLUMNS.map(name => (
              <th key={name} scope="col" class={NUMBERS.includes(name) ? 'number' : ''}>
                {columns[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {folds.slice(0, most).map(fold => (
            <FoldRow key={fold.id} sessionId={sessionId} fold={fold} condensed={condensed} />
          ))}
        </tbody>
      </table>
      {error !== null && <ErrorNotice error={error} />}
      {(hidden > 0 || loadOlder !== null) && (
        <Button onClick={showOlder}>
          {hidden > 0 && loadOlder === null
            ? texts.older(number(Math.min(hidden, AT_A_TIME)))
            : texts.olderStill}
        </Button>
      )}
    </section>
  )
}
