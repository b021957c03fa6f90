import { useEffect, useRef, useState } from 'preact/hooks'
import { defineTexts } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'
import { SearchForm } from './search-form.tsx'
import { SearchHelp } from './search-help.tsx'
import { SearchResults } from './search-results.tsx'
import { type Question, useSearch } from './use-search.ts'
import './search.css'

const useTexts = defineTexts({ en: { title: 'Search' }, zh: { title: '搜索' } })

/** How long the page waits after the last letter before it searches. */
const PAUSE_MS = 250

export function SearchPage({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const texts = useTexts()
  const [typed, setTyped] = useState(() => questionOf(query))
  const [asked, setAsked] = useState(typed)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // A settled search stays in the browser's history. The letters on the way to the next search do not.
  const isSettled = useRef(true)
  const search = useSearch(asked)

  useEffect(() => {
    // The reader followed a link or went back.
    clearTimeout(timer.current)
    isSettled.current = true
    setTyped(questionOf(query))
    setAsked(questionOf(query))
    return () => clearTimeout(timer.current)
  }, [query])

  const ask = (question: Question) => {
    clearTimeout(timer.current)
    setAsked(question)
    const address = linkTo(['search'], queryOf(question))
    if (location.hash === address) return
    if (isSettled.current) history.pushState(null, '', address)
    else history.replaceState(null, '', address)
    isSettled.current = false
  }

  return (
    <div class="search-page">
      <header class="page-head">
        <h1>{texts.title}</h1>
      </header>
      <SearchForm
        typed={typed}
        onTyped={(question, { isFinal }) => {
          setTyped(question)
          clearTimeout(timer.current)
          if (isFinal) timer.current = setTimeout(() => ask(question), PAUSE_MS)
        }}
        onEnter={() => {
          ask(typed)
          isSettled.current = true
        }}
      />
      {asked.q.trim() === '' ? (
        <SearchHelp session={asked.session} />
      ) : (
        <SearchResults search={search} isOfOne={asked.session !== ''} />
      )}
    </div>
  )
}

function questionOf(query: Readonly<Record<string, string>>): Question {
  return { q: query['q'] ?? '', session: query['session'] ?? '' }
}

function queryOf({ q, session }: Question): Record<string, string> {
  return { ...(q !== '' && { q }), ...(session !== '' && { session }) }
}
