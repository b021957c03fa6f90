import { useRef } from 'preact/hooks'
import { ApiError } from '../../api/api-error.ts'
import { readSession } from '../../api/index.ts'
import type { SessionFigures } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'
import { useSessionEvents } from '../../state/use-events.ts'
import { useGlances } from '../../state/use-glances.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { WhenLoaded } from '../../ui/loading.tsx'
import { ChatPanel } from './chat/chat-panel.tsx'
import { ContextTab } from './context/context-tab.tsx'
import { FoldsTab } from './folds/folds-tab.tsx'
import { SessionHead } from './session-head.tsx'
import { StrataTab } from './strata/strata-tab.tsx'
import './session.css'

const useTexts = defineTexts({
  en: {
    views: 'Views',
    strata: 'Strata',
    context: 'Context',
    folds: 'Folds',
    chat: 'Chat',
    isNew: 'A new conversation: its first message creates it.',
    isMissing: 'There is no conversation with this id: it was erased, or never begun. A message begins it.',
  },
  zh: {
    views: '视图',
    strata: '地层',
    context: '上下文',
    folds: '折叠',
    chat: '聊天',
    isNew: '新的会话：发送第一条消息即可创建。',
    isMissing: '没有这个编号的会话：它已被删除，或从未开始。发送一条消息即可开始。',
  },
})

const TABS = ['strata', 'context', 'folds', 'chat'] as const
type Tab = (typeof TABS)[number]

/** One conversation: its history on the left and, if there is room, the chat beside it. */
export function SessionPage({
  id,
  tab: wanted,
  query,
}: {
  readonly id: string
  readonly tab: string
  readonly query: Readonly<Record<string, string>>
}) {
  const texts = useTexts()
  // The reader begins this session. Before its first message there is nothing to load.
  const isNew = useRef(query['new'] !== undefined)
  const loaded = useLoaded(
    async signal => (isNew.current ? 'new' : await readSession(id, { signal }).catch(missingWhereNotFound)),
    [id],
  )
  useSessionEvents(id, () => {
    // Without `new` in the address, a reload or a copied link shows what was said.
    if (isNew.current) location.replace(linkTo(['sessions', id, wanted]))
    isNew.current = false
    loaded.reload()
  })
  useGlances(loaded.reload)
  return (
    <WhenLoaded loaded={loaded}>
      {read => {
        const session = typeof read === 'string' ? null : read
        // Before the first message there is only the chat to see.
        const tab: Tab = session === null ? 'chat' : (TABS.find(name => name === wanted) ?? 'strata')
        return (
          <div class={`session tab-${tab}`}>
            {session === null ? (
              <h1>
                <bdi>{id}</bdi>
              </h1>
            ) : (
              <SessionHead session={session} />
            )}
            {session !== null && <Tabs id={id} tab={tab} />}
            <div class="views">
              <div class="view">
                {session === null ? (
                  <p class="empty">{read === 'new' ? texts.isNew : texts.isMissing}</p>
                ) : (
                  <View session={session} tab={tab} seq={query['seq']} />
                )}
              </div>
              <ChatPanel sessionId={id} isNew={session === null} />
            </div>
          </div>
        )
      }}
    </WhenLoaded>
  )
}

function missingWhereNotFound(error: unknown): 'missing' {
  if (error instanceof ApiError && error.code === 'session_not_found') return 'missing'
  throw error
}

function Tabs({ id, tab }: { readonly id: string; readonly tab: Tab }) {
  const texts = useTexts()
  return (
    <nav class="tabs" aria-label={texts.views}>
      {TABS.map(name => (
        <a
          key={name}
          class={`to-${name}`}
          href={linkTo(['sessions', id, name])}
          aria-current={name === tab ? 'page' : undefined}
        >
          {texts[name]}
        </a>
      ))}
    </nav>
  )
}

function View({
  session,
  tab,
  seq,
}: {
  readonly session: SessionFigures
  readonly tab: Tab
  readonly seq: string | undefined
}) {
  switch (tab) {
    case 'context':
      return <ContextTab session={session} />
    case 'folds':
      return <FoldsTab session={session} />
    // If there is room for both, the strata stand beside the chat.
    case 'strata':
    case 'chat':
      return <StrataTab session={session} seq={seq} />
  }
}
