import { createInterface } from 'node:readline/promises'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { InterruptedError, NoResultError, type Terminal } from './terminal.ts'

const NOTHING_ERASED = 'Nothing was erased.'

/** Said before anything is opened: a script that forgot it waits for nothing. */
export function requireConsent({ yes }: { readonly yes?: true }): void {
  if (yes || process.stdin.isTTY) return
  throw new InvalidArgumentError(
    '--yes',
    yes,
    'to erase without asking, since there is no terminal to ask in; or --dry-run, to see what it would be. ' +
      NOTHING_ERASED,
  )
}

/** Anything but a clear yes is a no. */
export async function confirm(question: string, terminal: Terminal): Promise<void> {
  const asking = createInterface({ input: process.stdin, output: terminal.error })
  // Ctrl-C, Ctrl-D, or whoever typed is gone.
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
