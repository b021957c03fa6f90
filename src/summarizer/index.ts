export { extractive } from './extractive/extractive.ts'
export { type DateMention, findDates, type Moment } from './relative-dates.ts'
export type { DatedEvent, SourceMessage, Summarizer, SummarizeRequest, Summary } from './summarizer.ts'
