export type { Expanded, ExpandOptions } from './expand.ts'
export { Indexer } from './indexer.ts'
export {
  type Excerpt,
  findMessages,
  type SearchAnswer,
  type SearchEngine,
  type SearchOptions,
  type SearchResult,
  type SessionsOptions,
} from './search-messages.ts'
