export type { FoldHandler, FoldInput, FoldOutcome, FoldResult, SpendGuardReport } from './compaction/index.ts'
export type { BlockName, ContextReport, ModelMessage, Omission } from './context/index.ts'
export type { Context, ContextOptions } from './contexts.ts'
export type { ErasureProgress, ErasureReceipt } from './erasure/index.ts'
export {
  ApprovalRefusedError,
  ChannelFailedError,
  ClosedError,
  type ContextNeeds,
  ContextOverflowError,
  CursorConflictError,
  DocumentConflictError,
  DocumentNotFoundError,
  EpochConflictError,
  ERROR_CODES,
  type Erased,
  ErasedMeanwhileError,
  ErasureNotFoundError,
  type ErrorCode,
  type ErrorDetails,
  HistoryConflictError,
  InvalidArgumentError,
  InvalidDecisionError,
  InvalidMessageError,
  InvalidSettingsError,
  KeyExistsError,
  LeaseLostError,
  MessageConflictError,
  MessageNotFoundError,
  MissingPeerError,
  ModelRedirectedError,
  NotWaitingError,
  PalimpsestError,
  PolicyTimeoutError,
  PositionLostError,
  ScopeOwnedError,
  SegmentNotFoundError,
  SessionExistsError,
  SessionMismatchError,
  SessionNotFoundError,
  SettingsConflictError,
  type SettingsProblem,
  StoreError,
  TakenBackError,
  type TraitMismatch,
  UnknownOptionError,
} from './errors.ts'
export type {
  Excerpt,
  Expanded,
  ExpandOptions,
  SearchAnswer,
  SearchOptions,
  SearchResult,
  SessionsOptions,
} from './finding/index.ts'
export type { FoldRecord } from './fold-record.ts'
export type {
  Content,
  ContentPart,
  Message,
  MessageInput,
  Origin,
  Pin,
  Role,
  Segment,
  Sender,
  SessionKind,
} from './log/index.ts'
export type {
  ExtractionReport,
  Memories,
  MemoryContent,
  MemoryDocument,
  MemoryTools,
  ToolDefinition,
  ToolOutput,
  WriteOptions,
} from './memory/index.ts'
export {
  type Configuration,
  createPalimpsest,
  type MemoryOptions,
  type Palimpsest,
  type PalimpsestOptions,
  type SessionOptions,
  type SessionPage,
  type SpendGuardOptions,
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
export { type Redact, type RedactionContext, RedactionError, redactSecrets } from './redaction/index.ts'
export type {
  Appended,
  AppendOptions,
  Assigning,
  ReadOptions,
  Session,
  SessionInfo,
  TailOptions,
} from './session.ts'
export {
  type Answers,
  type Author,
  type Awaits,
  type DocumentRecord,
  type DocumentVersion,
  type ErasureTarget,
  type Fact,
  type GrowthPoint,
  InvalidExportError,
  type LayerName,
  type SessionFile,
  type Source,
  type Store,
  type WaitingEntry,
} from './store/index.ts'
export {
  type PostgresOptions,
  type PostgresPool,
  type PostgresPoolOptions,
  postgres,
} from './store/postgres/index.ts'
export { type SqliteOptions, sqlite } from './store/sqlite/index.ts'
export type {
  ExtractedFact,
  FactRequest,
  MemoRequest,
  MemoUpdateRequest,
  SummarizeRequest,
  Summarizer,
  Summary,
  Usage,
} from './summarizer/index.ts'
export {
  type LanguageModelLike,
  type ModelPrices,
  type ModelSummarizerOptions,
  modelSummarizer,
} from './summarizer/model/index.ts'
export { SummarizerError, type SummarizerFailure } from './summarizer/summarizer-error.ts'
export type { Logger, Tracer } from './telemetry.ts'
export type { FinishedTurn, Turn, TurnApproval, TurnOptions, TurnPrompt, TurnUsage } from './turn/index.ts'
