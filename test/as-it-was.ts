import { afterAll, vi } from 'vitest'

/** The next file runs in the same process: it finds the variables, the clock and the functions as this file found them. */
const before = { ...process.env }

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  for (const [name, value] of Object.entries(before))
    if (process.env[name] !== value) process.env[name] = value
})
