import { vi } from 'vitest'

/** What is waited for comes within a moment; on a busy machine a moment may be long, and that is no failure. */
const LONGEST_MS = 30_000

const { waitFor } = vi
vi.waitFor = (callback, options = { timeout: LONGEST_MS }) => waitFor(callback, options)
