import { defineTexts, useFormats } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/loading.tsx'
import { Empty, ErrorNotice } from '../../ui/notice.tsx'
import { SearchResultItem } from './search-result.tsx'
import { nameOf, type useSearch } from './use-search.ts'

const useTexts = defineTexts({
  en: {
    one: '1 message, best first',
    found: (count: string) => `${count} messages, best first`,
    firstOnes: (count: string) => `The best ${count} messages`,
    nothing: 'No message says that. Try fewer or other words, or do without quotes.',
    nothingThere:
      'No message of this session says that. Is its id right? Try fewer or other words, or all sessions.',
    more: 'More results',
    loading: 'Searching …',
  },
  zh: {
    one: '1 条消息',
    found: (count: string) => `${count} 条消息，最相关的在前`,
    firstOnes: (count: string) => `最相关的 ${count} 条消息`,
    nothing: '没有消息这样说过。可以试试更少的词、别的词，或去掉引号。',
    nothingThere: '这个会话中没有消息这样说过。会话编号对吗？可以试试更少的词、别的词，或搜索全部会话。',
    more: '更多结果',
    loading: '搜索中…',
  },
})

export function SearchResults({
  search,
  isOfOne,
}: {
  readonly search: ReturnType<typeof useSearch>
  /** Only one session is searched. */
  readonly isOfOne: boolean
}) {
  const texts = useTexts()
  const { results, next, error, isLoading, more, retry } = search
  return (
    <section aria-busy={isLoading}>
      <p class="search-count hint" role="status">
        {results !== undefined && results.length > 0 && (
          <Count count={results.length} hasMore={next !== null} />
        )}
      </p>
      {error !== null && <ErrorNotice error={error} onRetry={results === undefined ? retry : more} />}
      {results === undefined && isLoading && <Spinner />}
      {results?.length === 0 && !isLoading && <Empty>{isOfOne ? texts.nothingThere : texts.nothing}</Empty>}
      {results !== undefined && results.length > 0 && (
        <ol class={`search-results ${isLoading ? 'old' : ''}`}>
          {results.map(result => (
            <SearchResultItem key={nameOf(result)} result={result} />
          ))}
        </ol>
      )}
      {next !== null && (
        <Button onClick={more} disabled={isLoading}>
          {isLoading ? texts.loading : texts.more}
        </Button>
      )}
    </section>
  )
}

function Count({ count, hasMore }: { readonly count: number; readonly hasMore: boolean }) {
  const texts = useTexts()
  const { number } = useFormats()
  if (hasMore) return texts.firstOnes(number(count))
  return count === 1 ? texts.one : texts.found(number(count))
}
