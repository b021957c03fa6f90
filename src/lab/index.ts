export { type ReplayFold, type ReplayOptions, type ReplayResult, replay } from './replay.ts'
export { InvalidTranscriptError, openTranscript, type Transcript } from './transcript.ts'
