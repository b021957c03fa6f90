import { main } from './program.ts'

/**
 * `npm run eval`: see `--help` and docs/evaluation.md. Ctrl-C is left to the system, which ends it at once, with
 * 130 for the shell: nothing is written that would have to be finished.
 */
process.exitCode = await main(process.argv.slice(2), { output: process.stdout, error: process.stderr })
