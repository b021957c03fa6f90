import { useEffect, useId, useState } from 'preact/hooks'
import { listSessions } from '../../api/index.ts'
import { defineTexts } from '../../language/language.ts'
import { goTo } from '../../routes.ts'
import { useEvents } from '../../state/use-events.ts'
import { useGlances } from '../../state/use-glances.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Button } from '../../ui/button.tsx'
import { WhenLoaded } from '../../ui/loading.tsx'
import { Empty } from '../../ui/notice.tsx'
import { SessionList } from './session-list.tsx'
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
    newest: 'Only the most recent are listed: filter, or order by id, to reach the others.',
    first: 'From the start',
    next: 'Next page',
    newId: 'Start a conversation',
    newPlaceholder: 'its id, such as web:1',
    start: 'Start',
  },
  zh: {
    title: '会话',
    about: '这份记忆保存的每一个会话。点开即可查看它如何沉积。',
    filter: '按编号筛选',
    order: '排序',
    recent: '最近活跃优先',
    byId: '按编号',
    none: '没有符合的会话。',
    empty: '还没有会话。在下方开始一个，或通过 API 追加。',
    newest: '仅列出最近活跃的会话：筛选或按编号排序即可找到其他会话。',
    first: '回到开头',
    next: '下一页',
    newId: '开始新会话',
    newPlaceholder: '会话编号，例如 web:1',
    start: '开始',
  },
})

const PAGE = 50
/** How long after the last letter the list is filtered. */
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
  // A reader who filters wants to find a session, even if its last use was long ago.
  const effective = q === '' ? order : 'id'
  const loaded = useLoaded(
    async signal => {
      const page = { limit: PAGE, ...(q !== '' && { q }) }
      const recent =
        effective === 'recent' ? await listSessions({ ...page, order: 'recent' }, { signal }) : null
      // The newest events of all namespaces may hold none of the quiet sessions here. Then all sessions are
      // listed.
      if (recent !== null && recent.sessions.length > 0) return recent
      return await listSessions({ ...page, ...(after !== null && { after }) }, { signal })
    },
    [q, effective, after],
  )
  useEvents(({ sessionId }) => sessionId !== null, loaded.reload)
  useGlances(loaded.reload)
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
            {sessions.length === 0 ? (
              <Empty>{q === '' ? texts.empty : texts.none}</Empty>
            ) : (
              // A different list has a different order, so the component starts anew.
              <SessionList key={`${q} ${effective} ${after}`} sessions={sessions} />
            )}
            {effective === 'recent' && next === null && sessions.length === PAGE && (
              <p class="hint">{texts.newest}</p>
            )}
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

/** If a session with that id exists, it continues. */
async function begin(id: string): Promise<void> {
  if (id === '') return
  const isThere = await isSession(id).catch(() => true)
  goTo(['sessions', id, 'chat'], isThere ? {} : { new: 'true' })
}

/** Looks in the list: a request for a missing session would leave an error in the browser's log. */
async function isSession(id: string): Promise<boolean> {
  let after: string | null = null
  do {
    const from: { after?: string } = after === null ? {} : { after }
    const { sessions, next } = await listSessions({ q: id, limit: 1_000, ...from })
    if (sessions.some(session => session.id === id)) return true
    after = next
  } while (after !== null)
  return false
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
