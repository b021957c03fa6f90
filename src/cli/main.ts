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
  const { main } = await import('./program.ts')
  process.exitCode = await main(process.argv.slice(2), {
    input: process.stdin,
    output: process.stdout,
    error: process.stderr,
  })
}
