import { useRef, useState } from 'preact/hooks'
import type { SessionFigures } from '../../api/types.ts'
import { keepOrder } from './keep-order.ts'
import { SessionRow } from './session-row.tsx'

/** The figures are live; the rows change their places only while nobody points at them or has the focus on one. */
export function SessionList({ sessions }: { readonly sessions: readonly SessionFigures[] }) {
  const [isPointedAt, setPointedAt] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const shown = useRef(sessions)
  shown.current = isPointedAt || isFocused ? keepOrder(shown.current, sessions) : sessions
  // All bars of a page to one scale, so that they can be compared.
  const most = Math.max(1, ...shown.current.map(({ rawTokens, segmentTokens }) => rawTokens + segmentTokens))
  return (
    <ul
      class="session-list"
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={() => setFocused(false)}
    >
      {shown.current.map(session => (
        <SessionRow key={session.id} session={session} mostTokens={most} />
      ))}
    </ul>
  )
}
