import { useRef } from 'preact/hooks'
import { ApiError } from '../../api/api-error.ts'
import { readSession } from '../../api/index.ts'
import type { SessionFigures } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'
import { useSessionEvents } from '../../state/use-events.ts'
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
  },
  zh: {
    views: '视图',
    strata: '地层',
    context: '上下文',
    folds: '折叠',
    chat: '聊天',
    isNew: '新的会话：发送第一条消息即可创建。',
  },
})

const TABS = ['strata', 'context', 'folds', 'chat'] as const
type Tab = (typeof TABS)[number]

/** One conversation: what became of it on the left, and the chat itself beside it where there is room. */
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
  // Somebody begins it: there is nothing to ask for before they have said something.
  const isNew = useRef(query['new'] !== undefined)
  const loaded = useLoaded(
    async signal => (isNew.current ? null : await readSession(id, { signal }).catch(nullWhereMissing)),
    [id],
  )
  useSessionEvents(id, () => {
    isNew.current = false
    loaded.reload()
  })
  return (
    <WhenLoaded loaded={loaded}>
      {session => {
        // Until somebody says something, there is nothing to be seen but the chat.
        const tab: Tab = session === null ? 'chat' : (TABS.find(name => name === wanted) ?? 'strata')
        return (
          <div class={`session tab-${tab}`}>
            {session === null ? <h1>{id}</h1> : <SessionHead session={session} />}
            {session !== null && <Tabs id={id} tab={tab} />}
            <div class="views">
              <div class="view">
                {session === null ? (
                  <p class="empty">{texts.isNew}</p>
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

function nullWhereMissing(error: unknown): null {
  if (error instanceof ApiError && error.code === 'session_not_found') return null
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
    // Beside the chat, where there is room for both, its strata.
    case 'strata':
    case 'chat':
      return <StrataTab session={session} seq={seq} />
  }
}
