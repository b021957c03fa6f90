import { Command } from 'commander'
import { InvalidArgumentError, PalimpsestError } from '../errors.ts'
import { readLines } from '../lab/read-lines.ts'
import { lineId, type Transcript, type TranscriptMessage } from '../lab/transcript.ts'
import type { MessageInput, SessionKind } from '../log/index.ts'
import { createPalimpsest } from '../palimpsest.ts'
import type { Session } from '../session.ts'
import { dbOption, jsonOption, kindOption, openStore, storeOption } from './options.ts'
import { readTranscript } from './replay.ts'
import { InterruptedError, interruptible, Progress, type Terminal } from './terminal.ts'

interface ImportFlags {
  readonly session?: string
  readonly db: string
  readonly store?: string
  readonly kind?: SessionKind
  readonly user?: string
  readonly scope?: string
  readonly json?: true
}

interface ImportResult {
  readonly session: string
  readonly messages: number
  readonly added: number
  readonly duplicates: number
}

export function importCommand(terminal: Terminal): Command {
  return new Command('import')
    .description('Append a transcript to a session (a repeat adds nothing), or restore an exported session.')
    .argument(
      '<file>',
      'one message a line: {"role","text","sender","at","externalId"}; - for standard input',
    )
    .option('--session <id>', 'the session that it goes to; an exported one has its own id already')
    .addOption(dbOption())
    .addOption(storeOption())
    .addOption(kindOption())
    .option('--user <id>', 'whose private chat it is')
    .option('--scope <id>', 'the workspace or project that it belongs to')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExample:\n  palimpsest import chat.jsonl --session telegram:42 --db palimpsest.db',
    )
    .action((file: string, flags: ImportFlags) => runImport(file, flags, terminal))
}

async function runImport(file: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const exported = await readExport(file)
  if (exported !== null) return restore(exported, flags, terminal)
  if (flags.session === undefined)
    throw new InvalidArgumentError(
      '--session',
      flags.session,
      'the id of the session that a transcript goes to',
    )
  const transcript = await readTranscript(file, terminal)
  await using palimpsest = await createPalimpsest({ store: await openStore(flags), folding: 'manual' })
  const session = palimpsest.session(flags.session, {
    kind: flags.kind ?? transcript.kind,
    ...(flags.user !== undefined && { user: flags.user }),
    ...(flags.scope !== undefined && { scope: flags.scope }),
  })
  const result = await importTranscript(transcript, session, terminal)
  terminal.output.write(
    flags.json
      ? `${JSON.stringify(result)}\n`
      : `${JSON.stringify(flags.session)}: ${result.added} added, ${result.duplicates} there already\n`,
  )
}

/** What `export` wrote is one object on one line; `null`: a transcript. */
async function readExport(file: string): Promise<unknown> {
  if (file === '-') return null
  for await (const { text } of readLines(file)) {
    if (text === null || !text.includes('"palimpsest-session"')) return null
    try {
      const json = JSON.parse(text)
      return json?.format === 'palimpsest-session' ? json : null
    } catch {
      return null
    }
  }
  return null
}

async function restore(json: unknown, flags: ImportFlags, terminal: Terminal): Promise<void> {
  await using palimpsest = await createPalimpsest({ store: await openStore(flags), folding: 'manual' })
  const options = flags.session === undefined ? {} : { id: flags.session }
  const { session, warnings } = await palimpsest.import(json, options)
  for (const warning of warnings) terminal.error.write(`warning: ${warning}\n`)
  const added = await session.count()
  terminal.output.write(
    flags.json
      ? `${JSON.stringify({ session: session.id, messages: added, added, duplicates: 0 })}\n`
      : `${JSON.stringify(session.id)}: restored with ${added} messages\n`,
  )
}

const MESSAGES_AT_A_TIME = 200

function importTranscript(
  transcript: Transcript,
  session: Session,
  terminal: Terminal,
): Promise<ImportResult> {
  return interruptible(async isInterrupted => {
    const progress = new Progress(terminal, 'importing')
    let added = 0
    let duplicates = 0
    try {
      for await (const batch of inBatches(transcript.read(), MESSAGES_AT_A_TIME)) {
        if (isInterrupted())
          throw new InterruptedError(
            `Interrupted: ${added} messages added so far. Run it again to go on; what is there stays.`,
          )
        const { messages } = await appendBatch(session, batch, transcript.path, added)
        const known = messages.filter(message => message.duplicate).length
        duplicates += known
        added += messages.length - known
        progress.update(batch.at(-1)!.position / transcript.bytes, `${added + duplicates} messages`)
      }
    } finally {
      progress.end()
    }
    return { session: session.id, messages: added + duplicates, added, duplicates }
  })
}

async function appendBatch(
  session: Session,
  batch: readonly TranscriptMessage[],
  file: string,
  added: number,
) {
  try {
    return await session.append(batch.map(toInput))
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error
    const { externalId } = error.details as { externalId?: string }
    const line = batch.find(({ message }) => message.externalId === externalId)?.line
    throw new PalimpsestError(
      error.code,
      `${file}${line ? `, line ${line}` : ''}: ${error.message} (${added} messages were added before.)`,
      { ...error.details, file, line, added },
      { cause: error },
    )
  }
}

function toInput(entry: TranscriptMessage): MessageInput {
  return { ...entry.message, externalId: entry.message.externalId ?? lineId(entry) }
}

async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
