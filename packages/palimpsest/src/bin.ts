#!/usr/bin/env node
// Everything else needs Node 24, so nothing else may be loaded before this is known.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    `palimpsest needs Node 24 or newer; this is ${process.version}. ` +
      'Install a newer one, or run it with: npx -p node@24 -p @palimpsest/cli palimpsest\n',
  )
  process.exitCode = 69
} else await start()

/** The command line is a package of its own, so that a program that uses the library installs nothing else. */
async function start(): Promise<void> {
  const commandLine = '@palimpsest/cli/main'
  try {
    import.meta.resolve(commandLine)
  } catch {
    process.stderr.write(
      'The command line of palimpsest is a package of its own, which is not installed here. ' +
        'Install it, and start again: npm install @palimpsest/cli\n',
    )
    process.exitCode = 69
    return
  }
  await import(commandLine)
}

export {}
