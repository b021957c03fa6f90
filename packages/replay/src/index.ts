export { type CompareOptions, compare } from './compare.ts'
export type * from './comparison.ts'
export type { ConditionOptions } from './conditions.ts'
export { PRICE_PRESETS } from './prices/presets.ts'
export type { Prices } from './prices/prices.ts'
export { type Candidate, type ReplayOptions, replay } from './replay/replay.ts'
export { comparisonCsv } from './report/csv.ts'
export { comparisonPage } from './report/page.ts'
export type { SweptSetting } from './sweep.ts'
export {
  type ConvertedSession,
  InvalidTranscriptError,
  openTranscripts,
  type SessionFileOptions,
  type Transcript,
  type TranscriptFormat,
  type TranscriptMessage,
  type TranscriptOptions,
  toSessionFile,
} from './transcript/index.ts'
