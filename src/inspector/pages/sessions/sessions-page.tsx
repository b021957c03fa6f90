import { useEffect, useId, useState } from 'preact/hooks'
import { listSessions } from '../../api/index.ts'
import type { SessionFigures } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { goTo } from '../../routes.ts'
import { useEvents } from '../../state/use-events.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Button } from '../../ui/button.tsx'
import { WhenLoaded } from '../../ui/loading.tsx'
import { Empty } from '../../ui/notice.tsx'
import { SessionRow } from './session-row.tsx'
import './sessions.css'

const useTexts = defineTexts({
  en: {
    title: 'Sessions',
    about: 'Every conversation that this memory keeps. Open one to see how it has settled.',
    filter: 'Filter by id',
    order: 'Order',
    recent: 'most recent first',
    byId: 'by id',
    none: 'No session has such an id.',
    empty: 'No conversation yet. Start one below, or append to one over the API.',
    first: 'From the start',
    next: 'Next page',
    newId: 'Start a conversation',
    newPlaceholder: 'its id, such as web:1',
    start: 'Start',
  },
  zh: {
    title: '会话',
    about: '这份记忆保存的每一个会话。点开即可查看它如何沉积。',
    filter: '按 ID 筛选',
    order: '排序',
    recent: '最近活跃优先',
    byId: '按 ID',
    none: '没有符合的会话。',
    empty: '还没有会话。在下方开始一个，或通过 API 追加。',
    first: '回到开头',
    next: '下一页',
    newId: '开始新会话',
    newPlaceholder: '会话 ID，例如 web:1',
    start: '开始',
  },
})

const PAGE = 50
/** So long after the last letter the list is filtered. */
const TYPING_MS = 200

export function SessionsPage() {
  const texts = useTexts()
  const [typed, setTyped] = useState('')
  const [q, setQ] = useState('')
  const [order, setOrder] = useState<'recent' | 'id'>('recent')
  const [after, setAfter] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => {
      setQ(typed.trim())
      setAfter(null)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  // Somebody who filters wants to find it, however long ago it was used.
  const effective = q === '' ? order : 'id'
  const loaded = useLoaded(
    async signal => {
      const page = { limit: PAGE, ...(q !== '' && { q }) }
      const recent =
        effective === 'recent' ? await listSessions({ ...page, order: 'recent' }, { signal }) : null
      // Beside others who are busy, what is quiet is not among the newest of all.
      if (recent !== null && recent.sessions.length > 0) return recent
      return await listSessions({ ...page, ...(after !== null && { after }) }, { signal })
    },
    [q, effective, after],
  )
  useEvents(({ sessionId }) => sessionId !== null, loaded.reload)
  const filterId = useId()
  const orderId = useId()
  return (
    <div class="sessions">
      <div class="page-head">
        <h1>{texts.title}</h1>
        <p class="soft">{texts.about}</p>
      </div>
      <div class="sessions-controls">
        <label for={filterId} class="visually-hidden">
          {texts.filter}
        </label>
        <input
          id={filterId}
          type="search"
          placeholder={texts.filter}
          value={typed}
          onInput={event => setTyped(event.currentTarget.value)}
        />
        <label for={orderId} class="visually-hidden">
          {texts.order}
        </label>
        <select
          id={orderId}
          value={effective}
          disabled={q !== ''}
          onChange={event => {
            setOrder(event.currentTarget.value as 'recent' | 'id')
            setAfter(null)
          }}
        >
          <option value="recent">{texts.recent}</option>
          <option value="id">{texts.byId}</option>
        </select>
      </div>
      <WhenLoaded loaded={loaded}>
        {({ sessions, next }) => (
          <>
            <SessionList sessions={sessions} isFiltered={q !== ''} />
            <p class="pager">
              {after !== null && <Button onClick={() => setAfter(null)}>{texts.first}</Button>}
              {next !== null && <Button onClick={() => setAfter(next)}>{texts.next}</Button>}
            </p>
          </>
        )}
      </WhenLoaded>
      <NewSession />
    </div>
  )
}

function SessionList({
  sessions,
  isFiltered,
}: {
  readonly sessions: readonly SessionFigures[]
  readonly isFiltered: boolean
}) {
  const texts = useTexts()
  if (sessions.length === 0) return <Empty>{isFiltered ? texts.none : texts.empty}</Empty>
  // All bars of a page to one scale, so that they can be compared.
  const most = Math.max(1, ...sessions.map(({ rawTokens, segmentTokens }) => rawTokens + segmentTokens))
  return (
    <ul class="session-list">
      {sessions.map(session => (
        <SessionRow key={session.id} session={session} mostTokens={most} />
      ))}
    </ul>
  )
}

/** Where there is one with that id already, it goes on. */
async function begin(id: string): Promise<void> {
  if (id === '') return
  const { sessions } = await listSessions({ q: id, limit: 1_000 }).catch(() => ({ sessions: [] }))
  const isThere = sessions.some(session => session.id === id)
  goTo(['sessions', id, 'chat'], isThere ? {} : { new: 'true' })
}

function NewSession() {
  const texts = useTexts()
  const fieldId = useId()
  const [id, setId] = useState('')
  return (
    <form
      class="new-session"
      onSubmit={event => {
        event.preventDefault()
        void begin(id.trim())
      }}
    >
      <label for={fieldId}>{texts.newId}</label>
      <input
        id={fieldId}
        required
        maxLength={1000}
        placeholder={texts.newPlaceholder}
        value={id}
        onInput={event => setId(event.currentTarget.value)}
      />
      <Button type="submit">{texts.start}</Button>
    </form>
  )
}
