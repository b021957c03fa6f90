export type { FoldHandler, FoldInput, FoldOutcome, FoldResult } from './compaction/index.ts'
export * from './errors.ts'
export type {
  Content,
  ContentPart,
  Message,
  MessageInput,
  Role,
  Segment,
  Sender,
  SessionKind,
} from './log/index.ts'
export {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type SessionOptions,
} from './palimpsest.ts'
export {
  compose,
  count,
  custom,
  type Decision,
  type FoldPlan,
  type Policy,
  resize,
  rounds,
  type Snapshot,
  tokens,
  window,
} from './policy/index.ts'
export type { Appended, ReadOptions, Session, SessionInfo } from './session.ts'
export { InvalidExportError, type SessionFile, type Store } from './store/index.ts'
export { type PostgresOptions, postgres } from './store/postgres/index.ts'
export { type SqliteOptions, sqlite } from './store/sqlite/index.ts'
export type { SummarizeRequest, Summarizer, Summary } from './summarizer/index.ts'
