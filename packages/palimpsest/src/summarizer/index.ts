export { asSummarizer } from './as-summarizer.ts'
export { extractive } from './extractive/extractive.ts'
export { readableText } from './extractive/readable.ts'
export {
  type LanguageModelLike,
  type ModelPrices,
  type ModelSummarizerOptions,
  modelSummarizer,
} from './model/index.ts'
export { type DateMention, findDates, type Moment } from './relative-dates.ts'
export { identityOf, speakerIn, whoSpeaks } from './speakers.ts'
export type {
  CallCost,
  CallGate,
  DatedEvent,
  ExpectedCall,
  Extract,
  ExtractedFact,
  ExtractsRequest,
  FactRequest,
  FactSection,
  MemoRequest,
  MemoUpdateRequest,
  Prefix,
  SourceMessage,
  SummarizeRequest,
  Summarizer,
  Summary,
  Usage,
} from './summarizer.ts'
export { SummarizerError, type SummarizerFailure } from './summarizer-error.ts'
export { findTextProblem, isTooShort, ROOM_FOR_WORDS, type TextProblem } from './text-problem.ts'
export { languageOfSource, markedText } from './told-apart.ts'
export { isWorthKeeping } from './worth-keeping.ts'
