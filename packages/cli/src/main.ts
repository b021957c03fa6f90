#!/usr/bin/env node
import { reportError } from './report-error.ts'

// The reader of our output may stop early, as `head` does. That is not an error.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  process.exit()
})
const { main } = await import('./program.ts')
// Includes promises that no code awaits. Node itself would print everything that the error holds, even the
// request with its key.
process.on('uncaughtException', error => {
  process.exit(reportError(error, { output: process.stdout, error: process.stderr }))
})
process.exitCode = await main(process.argv.slice(2), { output: process.stdout, error: process.stderr })
