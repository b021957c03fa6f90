import { useEffect, useRef, useState } from 'preact/hooks'
import { isKeyWanted } from '../api/key.ts'
import { defineTexts } from '../language/language.ts'
import { ErasuresPage } from '../pages/erasure/erasures-page.tsx'
import { MemoryPage } from '../pages/memory/memory-page.tsx'
import { SearchPage } from '../pages/search/search-page.tsx'
import { SessionPage } from '../pages/session/session-page.tsx'
import { SessionsPage } from '../pages/sessions/sessions-page.tsx'
import { SettingsPage } from '../pages/settings/settings-page.tsx'
import { type Route, useRoute } from '../routes.ts'
import { useValue } from '../state/value.ts'
import { Empty } from '../ui/notice.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { Navigation } from './navigation.tsx'
import { usePageTitle } from './page-names.ts'

const useTexts = defineTexts({
  en: { skip: 'Skip to the content', nothing: 'There is no such page.' },
  zh: { skip: '跳到正文', nothing: '没有这个页面。' },
})

export function App() {
  const texts = useTexts()
  const route = useRoute()
  const keyIsWanted = useValue(isKeyWanted)
  const main = useRef<HTMLElement>(null)
  const title = usePageTitle(route)
  useEffect(() => {
    document.title = title
  }, [title])
  const place = route.path.slice(0, 2).join('/')
  const [shownPlace, setShownPlace] = useState(place)
  useEffect(() => {
    if (place === shownPlace) return
    setShownPlace(place)
    // A new page: a reader with a screen reader has to hear where the focus is now.
    main.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [place, shownPlace])
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <div class="frame">
        <Navigation route={route} />
        <main ref={main} id="main" tabIndex={-1}>
          <Page route={route} />
        </main>
      </div>
      {keyIsWanted && <KeyDialog />}
    </>
  )
}

function Page({ route }: { readonly route: Route }) {
  const texts = useTexts()
  const [name, ...rest] = route.path
  switch (name) {
    case undefined:
      return <SessionsPage />
    case 'sessions':
      return rest[0] === undefined ? (
        <SessionsPage />
      ) : (
        <SessionPage key={rest[0]} id={rest[0]} tab={rest[1] ?? 'strata'} query={route.query} />
      )
    case 'search':
      return <SearchPage query={route.query} />
    case 'memory':
      return <MemoryPage layer={rest[0]} documentKey={rest[1]} />
    case 'settings':
      return <SettingsPage />
    case 'erasures':
      return <ErasuresPage id={rest[0]} query={route.query} />
    default:
      return <Empty>{texts.nothing}</Empty>
  }
}
