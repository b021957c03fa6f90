import { vi } from 'vitest'

/** What is waited for comes within a moment; on a busy machine a moment may be long, and that is no failure. */
const MAX_MS = 30_000

const { waitFor } = vi
const patient: typeof waitFor = (callback, options = { timeout: MAX_MS }) => waitFor(callback, options)
// The files of a worker share it.
if (!('isPatient' in waitFor)) vi.waitFor = Object.assign(patient, { isPatient: true })
