import { createInterface } from 'node:readline/promises'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { InterruptedError, NoResultError, type Terminal } from './terminal.ts'

const NOTHING_ERASED = 'Nothing was erased.'

/** Throws before anything is opened, so that a script that forgot `--yes` is told at once. */
export function requireConsent({ yes }: { readonly yes?: true }): void {
  if (yes || process.stdin.isTTY) return
  throw new InvalidArgumentError(
    '--yes',
    yes,
    'to erase without asking, since there is no terminal to ask in; or --dry-run, to see what it would be. ' +
      NOTHING_ERASED,
  )
}

/** Throws unless the person types `yes`. */
export async function confirm(question: string, terminal: Terminal): Promise<void> {
  const asking = createInterface({ input: process.stdin, output: terminal.error })
  // Resolves on Ctrl-C, on Ctrl-D, and when the input has ended.
  const { promise: ended, resolve: end } = Promise.withResolvers<null>()
  asking.once('close', () => end(null))
  asking.once('SIGINT', () => end(null))
  try {
    const answer = await Promise.race([asking.question(`${question} `), ended])
    if (answer?.trim().toLowerCase() === 'yes') return
    if (answer !== null) throw new NoResultError(NOTHING_ERASED)
    terminal.error.write('\n')
    throw new InterruptedError(NOTHING_ERASED)
  } finally {
    asking.close()
  }
}
