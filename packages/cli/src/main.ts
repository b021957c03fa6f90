#!/usr/bin/env node
import { reportError } from './report-error.ts'

// The reader of our output may stop before we do, as `head` does: nothing is wrong then.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  process.exit()
})
const { main } = await import('./program.ts')
// Also of a promise that nothing waits for: Node would print all that the error holds, the request with its key too.
process.on('uncaughtException', error => {
  process.exit(reportError(error, { output: process.stdout, error: process.stderr }))
})
process.exitCode = await main(process.argv.slice(2), { output: process.stdout, error: process.stderr })
