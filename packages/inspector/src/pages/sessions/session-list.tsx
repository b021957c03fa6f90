import { useRef, useState } from 'preact/hooks'
import type { SessionFigures } from '../../api/types.ts'
import { keepOrder } from './keep-order.ts'
import { SessionRow } from './session-row.tsx'

/** The figures are live. The rows change places only while the pointer and the focus are elsewhere. */
export function SessionList({ sessions }: { readonly sessions: readonly SessionFigures[] }) {
  const [isPointedAt, setPointedAt] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const shown = useRef(sessions)
  shown.current = isPointedAt || isFocused ? keepOrder(shown.current, sessions) : sessions
  // All bars of a page have the same scale, so that the reader can compare them.
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
