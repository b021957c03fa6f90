import type { ComponentChildren } from 'preact'
import { defineTexts } from '../language/language.ts'
import type { Loaded } from '../state/use-loaded.ts'
import { ErrorNotice } from './notice.tsx'

const useTexts = defineTexts({ en: { loading: 'Loading …' }, zh: { loading: '加载中…' } })

/** Shows what was loaded. Until then it shows that it loads or, if it failed, why. */
export function WhenLoaded<T>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<T>
  readonly children: (value: T) => ComponentChildren
}) {
  const { value, error, reload } = loaded
  return (
    <>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {value !== undefined ? children(value) : error === null && <Spinner />}
    </>
  )
}

export function Spinner() {
  const { loading } = useTexts()
  return (
    <p class="spinner" role="status">
      {loading}
    </p>
  )
}
