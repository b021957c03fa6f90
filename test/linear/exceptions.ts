/** Functions that take a text and are not measured, each with the reason. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'tokens/weigh-text.ts weighText': 'measured as estimateTokens',
  'tokens/weigh-text.ts weighOn': 'measured as estimateTokensInSteps',
  'memory/workspace/file-names.ts dayFile': 'takes a day that is checked',
  'summarizer/calendar-day.ts zonedFormat': 'takes a zone that is checked',
  'compaction/failure-reason.ts knownFailure': 'takes one of our own words',
  'compaction/outcome.ts skipped': 'takes one of our own words',
  'compaction/outcome.ts isConflict': 'takes one of our own words',
}
