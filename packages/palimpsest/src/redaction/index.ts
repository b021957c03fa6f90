export { type Redact, type RedactionContext, RedactionError } from './redact.ts'
export type { Measures } from './redact-records.ts'
export { redactingStore } from './redacting-store.ts'
export { redactSecrets } from './secrets.ts'
