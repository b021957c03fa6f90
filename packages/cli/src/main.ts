#!/usr/bin/env node
// Everything else needs Node 24, so nothing else may be loaded before this is known.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    `palimpsest needs Node 24 or newer; this is ${process.version}. ` +
      'Install a newer one, or run it with: npx -p node@24 -p palimpsest palimpsest\n',
  )
  process.exitCode = 69
} else {
  // Whoever reads our output may stop before we do, as `head` does: nothing is wrong then.
  process.stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    process.exit()
  })
  const { main } = await import('./program.ts')
  const { reportError } = await import('./report-error.ts')
  // Also of a promise that nothing waits for: Node would print all that the error holds, the request with its key too.
  process.on('uncaughtException', error => {
    process.exit(reportError(error, { output: process.stdout, error: process.stderr }))
  })
  process.exitCode = await main(process.argv.slice(2), { output: process.stdout, error: process.stderr })
}
