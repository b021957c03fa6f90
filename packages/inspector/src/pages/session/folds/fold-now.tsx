import { useId, useState } from 'preact/hooks'
import { compact } from '../../../api/index.ts'
import type { FoldOutcome } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { useFoldReasons, wordsFor } from '../fold-reasons.ts'

const useTexts = defineTexts({
  en: {
    focus: 'Keep above all (optional)',
    example: 'dates and who promised what',
    fold: 'Fold now',
    folding: 'Folding …',
    applied: (from: string, to: string) => `Messages ${from}–${to} were folded`,
    saved: (before: string, after: string) => `${before} tokens became ${after}`,
    memo: 'No message was moved; the memo was brought up to date.',
    skipped: (reason: string) => `Nothing was folded: ${reason}.`,
    failed: (reason: string) => `The fold failed, and everything is as it was: ${reason}.`,
  },
  zh: {
    focus: '首要保留（可选）',
    example: '日期以及谁答应了什么',
    fold: '立即折叠',
    folding: '折叠中…',
    applied: (from: string, to: string) => `消息 ${from}–${to} 已折叠`,
    saved: (before: string, after: string) => `${before} 个词元变为 ${after}`,
    memo: '没有移动消息；备忘已更新。',
    skipped: (reason: string) => `未折叠：${reason}。`,
    failed: (reason: string) => `折叠失败，一切保持原样：${reason}。`,
  },
})

type State =
  | { readonly name: 'idle' }
  | { readonly name: 'folding' }
  | { readonly name: 'done'; readonly outcome: FoldOutcome }
  | { readonly name: 'refused'; readonly error: unknown }

/** Folds all that may be folded, and tells the outcome. */
export function FoldNow({ sessionId, onFold }: { readonly sessionId: string; readonly onFold: () => void }) {
  const texts = useTexts()
  const field = useId()
  const [focus, setFocus] = useState('')
  const [state, setState] = useState<State>({ name: 'idle' })
  const isFolding = state.name === 'folding'
  const fold = async () => {
    setState({ name: 'folding' })
    try {
      const kept = focus.trim()
      const outcome = await compact(sessionId, { force: true, ...(kept !== '' && { focus: kept }) })
      setState({ name: 'done', outcome })
      onFold()
    } catch (error) {
      setState({ name: 'refused', error })
    }
  }
  return (
    <div class="fold-now">
      <form
        onSubmit={event => {
          event.preventDefault()
          if (!isFolding) void fold()
        }}
      >
        <div>
          <label for={field}>{texts.focus}</label>
          <input
            id={field}
            autocomplete="off"
            maxLength={4_000}
            placeholder={texts.example}
            value={focus}
            onInput={event => setFocus(event.currentTarget.value)}
          />
        </div>
        {/* A disabled button would lose the focus during the fold. */}
        <Button look="primary" type="submit" aria-disabled={isFolding}>
          {isFolding ? texts.folding : texts.fold}
        </Button>
      </form>
      <div role="status">{state.name === 'done' && <Outcome outcome={state.outcome} />}</div>
      {state.name === 'refused' && <ErrorNotice error={state.error} />}
    </div>
  )
}

const LOOKS = { applied: 'good', skipped: '', failed: 'warn' } as const

function Outcome({ outcome }: { readonly outcome: FoldOutcome }) {
  return (
    <div class={`notice ${LOOKS[outcome.outcome]}`}>
      <p>{useOutcomeWords(outcome)}</p>
    </div>
  )
}

function useOutcomeWords({ outcome, reason, fromSeq, toSeq, ...figures }: FoldOutcome): string {
  const texts = useTexts()
  const reasons = useFoldReasons()
  const { number } = useFormats()
  if (outcome === 'skipped') return texts.skipped(wordsFor(reasons.skipped, reason))
  if (outcome === 'failed') return texts.failed(wordsFor(reasons.failed, reason))
  if (fromSeq === null || toSeq === null) return texts.memo
  const { tokensBefore: before, tokensAfter: after } = figures
  const saved =
    typeof before === 'number' && typeof after === 'number'
      ? `: ${texts.saved(number(before), number(after))}`
      : ''
  return `${texts.applied(number(fromSeq), number(toSeq))}${saved}.`
}
