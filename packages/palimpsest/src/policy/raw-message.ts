import type { LinkedMessage, Size } from '../log/index.ts'

/** A raw message as the policy sees it: its place and its size, without its content. */
export interface RawMessage extends LinkedMessage, Size {}
