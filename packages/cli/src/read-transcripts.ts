import { openTranscripts, type Source, type Transcript } from '@palimpsest/replay/internals/transcript/index'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { InterruptedError, interruptible, Progress, type Terminal } from './terminal.ts'

interface ReadFlags {
  readonly self?: string
  readonly conversation?: string
  readonly zone?: string
}

/**
 * The conversations of a file, or the one that was asked for; at least one. Shows progress and can be
 * interrupted by Ctrl-C.
 */
export async function readTranscripts(
  file: string | Source,
  terminal: Terminal,
  { self, conversation, zone }: ReadFlags = {},
): Promise<readonly Transcript[]> {
  const transcripts = await interruptible(async isInterrupted => {
    const progress = new Progress(terminal, 'reading')
    const onProgress = (share: number) => {
      if (isInterrupted()) throw new InterruptedError('Interrupted while reading; nothing was done.')
      progress.update(share)
    }
    try {
      return await openTranscripts(file, {
        onProgress,
        ...(self !== undefined && { self }),
        ...(zone !== undefined && { zone }),
      })
    } finally {
      progress.end()
    }
  })
  return conversation === undefined ? transcripts : [pickTranscript(transcripts, conversation)]
}

/**
 * Looks for the id first, since an id is unique. Then it looks for the title, then for the number of a
 * conversation that has no id.
 */
export function pickTranscript(transcripts: readonly Transcript[], asked: string): Transcript {
  const byId = transcripts.find(({ id }) => id === asked)
  if (byId) return byId
  const byTitle = transcripts.filter(({ title }) => title === asked.trim())
  if (byTitle.length > 1)
    throw new InvalidArgumentError(
      '--conversation',
      asked,
      `one of ${byTitle.length} by its id: ${list(byTitle)}`,
    )
  const found = byTitle[0] ?? transcripts.find(({ id, number }) => id === null && String(number) === asked)
  if (found) return found
  throw new InvalidArgumentError('--conversation', asked, `the id or the title of one: ${list(transcripts)}`)
}

const MAX_LISTED = 10

function list(transcripts: readonly Transcript[]): string {
  const shown = transcripts.slice(0, MAX_LISTED).map(({ id, title, number }) => {
    const name = id ?? String(number)
    return title === null ? name : `${name} (${JSON.stringify(title)})`
  })
  const more = transcripts.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
