import { describeError, framesOf } from 'palimpsest/internals/errors'
import { redactSecrets } from 'palimpsest/internals/redaction/index'
import { inertLines } from './inert-text.ts'
import type { Terminal } from './terminal.ts'

/**
 * All programs write their log through this. Of an error it writes the kind, the codes and the place. In any
 * text it hides secrets and characters that could move the cursor.
 */
export interface ProgramLog {
  (text: string): void
  readonly error: (about: string, error: unknown, options?: { readonly withFrames?: boolean }) => void
}

export function programLog({ error: output }: Pick<Terminal, 'error'>): ProgramLog {
  const write = (text: string) => void output.write(`${logText(text)}\n`)
  const error: ProgramLog['error'] = (about, error, { withFrames = false } = {}) => {
    const frames = withFrames ? framesOf(error) : []
    write([`${about}: ${describeError(error)}`, ...frames].join('\n'))
  }
  return Object.assign(write, { error })
}

function logText(text: string): string {
  return inertLines(redactSecrets(text))
}
