import { connection } from '../api/events.ts'
import { defineTexts, language, setLanguage } from '../language/language.ts'
import { linkTo, type Route } from '../routes.ts'
import { useValue } from '../state/value.ts'
import { PAGES, usePageNames } from './page-names.ts'

const useTexts = defineTexts({
  en: {
    pages: 'Pages',
    other: '中文',
    live: 'live',
    connecting: 'connecting …',
    lost: 'connection lost; trying again …',
  },
  zh: {
    pages: '页面',
    other: 'English',
    live: '实时',
    connecting: '连接中…',
    lost: '连接已断开，正在重试…',
  },
})

export function Navigation({ route }: { readonly route: Route }) {
  const texts = useTexts()
  const names = usePageNames()
  const chosen = useValue(language)
  const state = useValue(connection)
  const here = route.path[0] ?? 'sessions'
  return (
    <header class="top">
      <a class="brand" href="#/">
        <Mark />
        <span>Palimpsest</span>
      </a>
      <nav aria-label={texts.pages}>
        {PAGES.map(page => (
          <a key={page} href={linkTo([page])} aria-current={page === here ? 'page' : undefined}>
            {names[page]}
          </a>
        ))}
      </nav>
      <p class={`connection ${state}`} role="status">
        {texts[state]}
      </p>
      <button
        type="button"
        class="button quiet"
        lang={chosen === 'en' ? 'zh-CN' : 'en'}
        onClick={() => setLanguage(chosen === 'en' ? 'zh' : 'en')}
      >
        {texts.other}
      </button>
    </header>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <rect x="2" y="2" width="20" height="6" rx="1.5" style={{ fill: 'var(--raw)' }} />
      <rect x="2" y="9.5" width="20" height="5" rx="1.5" style={{ fill: 'var(--level-1)' }} />
      <rect x="2" y="16" width="20" height="3" rx="1.2" style={{ fill: 'var(--level-2)' }} />
      <rect x="2" y="20.5" width="20" height="2" rx="1" style={{ fill: 'var(--level-3)' }} />
    </svg>
  )
}
