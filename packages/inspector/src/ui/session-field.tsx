import { useId, useState } from 'preact/hooks'
import { listSessions } from '../api/index.ts'
import { useLoaded } from '../state/use-loaded.ts'

const MAX_SUGGESTIONS = 12

/** A field for a session's id. It suggests ids that contain the typed text. */
export function SessionField({
  id,
  value,
  placeholder = '',
  required = false,
  onTyped,
}: {
  /** For the label of the field. */
  readonly id: string
  readonly value: string
  readonly placeholder?: string
  readonly required?: boolean
  readonly onTyped: (typed: string) => void
}) {
  const list = useId()
  const [isUsed, setUsed] = useState(false)
  const wanted = isUsed ? value : null
  const suggested = useLoaded(signal => suggestions(wanted, signal), [wanted])
  return (
    <>
      <input
        id={id}
        type="search"
        value={value}
        placeholder={placeholder}
        required={required}
        list={list}
        autocomplete="off"
        spellcheck={false}
        onFocus={() => setUsed(true)}
        onInput={event => onTyped(event.currentTarget.value)}
      />
      <datalist id={list}>
        {suggested.value?.map(id => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  )
}

/** The reader can type an id without suggestions. So an error here is not shown. */
async function suggestions(typed: string | null, signal: AbortSignal): Promise<readonly string[]> {
  if (typed === null) return []
  const query = { limit: MAX_SUGGESTIONS, order: 'recent', ...(typed !== '' && { q: typed }) } as const
  const answer = await listSessions(query, { signal }).catch(() => ({ sessions: [] }))
  return answer.sessions.map(({ id }) => id).filter(id => id !== typed)
}
