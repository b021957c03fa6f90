import { useFormats } from '../language/language.ts'
import { createValue, useValue } from '../state/value.ts'

const TICK_MS = 30_000

const now = createValue(Date.now())
setInterval(() => now.set(Date.now()), TICK_MS)

/** How long ago something was. The text changes while the page is open. */
export function Ago({ at }: { readonly at: string }) {
  const { ago, moment } = useFormats()
  useValue(now)
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at)}
    </time>
  )
}
