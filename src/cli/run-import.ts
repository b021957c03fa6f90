import type { Layer } from '../config/index.ts'
import { InvalidArgumentError, PalimpsestError } from '../errors.ts'
import {
  lineId,
  openSource,
  readDocument,
  readHead,
  type Source,
  type Transcript,
  type TranscriptMessage,
} from '../lab/transcript/index.ts'
import type { MessageInput } from '../log/index.ts'
import { createPalimpsest } from '../palimpsest.ts'
import { redactionOf } from '../server/configuration.ts'
import type { Session } from '../session.ts'
import type { Store } from '../store/index.ts'
import type { ImportFlags } from './import.ts'
import { openStore } from './options.ts'
import { readTranscripts } from './read-transcripts.ts'
import { environmentSettings, storedSettings } from './stored-settings.ts'
import { InterruptedError, interruptible, Progress, type Terminal } from './terminal.ts'
import { waitForIndex } from './wait-for-index.ts'

interface ImportResult {
  readonly session: string
  readonly title: string | null
  readonly messages: number
  readonly added: number
  readonly duplicates: number
}

export async function runImport(file: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const source = await openSource(file)
  const exported = await readExport(source)
  if (exported !== null) return restore(exported, flags, terminal)
  if (flags.session === undefined)
    throw new InvalidArgumentError(
      '--session',
      flags.session,
      'the id of the session that a transcript goes to',
    )
  const transcripts = await readTranscripts(source, terminal, flags)
  const environment = environmentSettings(terminal)
  const store = await openStore(flags)
  const redact = await redactionFor(flags, { store, environment })
  const { namespace } = flags
  await using palimpsest = await createPalimpsest({ store, namespace, redact, folding: 'manual' })
  const names = sessionNames(flags.session, transcripts)
  const imports: Import[] = []
  for (const [index, transcript] of transcripts.entries()) {
    const name = names[index]!
    // What a transcript looks like is a guess: it says what a new session is, and nothing of one that is there.
    const guess = (await palimpsest.session(name).info()) === null ? transcript.kind : undefined
    const kind = flags.kind ?? guess
    const session = palimpsest.session(name, {
      ...(kind !== undefined && { kind }),
      ...(flags.user !== undefined && { user: flags.user }),
      ...(flags.scope !== undefined && { scope: flags.scope }),
    })
    imports.push({ transcript, session })
  }
  const results = await importAll(imports, terminal)
  const messages = results.reduce((sum, result) => sum + result.messages, 0)
  await waitForIndex(palimpsest, { store, namespace, sessions: names, messages }, terminal)
  terminal.output.write(flags.json ? `${JSON.stringify(toJson(results))}\n` : results.map(toLine).join(''))
}

/** As a server on the same database would have it, unless the command line says otherwise. */
async function redactionFor(
  { redact, namespace }: ImportFlags,
  { store, environment }: { readonly store: Store; readonly environment: Layer },
) {
  return redact && redactionOf(await storedSettings(store, { namespace, environment }))
}

/** One conversation goes to the session itself, several to sessions below it, by their ids or their places. */
function sessionNames(session: string, transcripts: readonly Transcript[]): readonly string[] {
  if (transcripts.length === 1) return [session]
  const taken = new Set<string>()
  return transcripts.map(({ id, number }) => {
    const name = `${session}:${id ?? number}`
    const free = taken.has(name) ? `${name}:${number}` : name
    taken.add(free)
    return free
  })
}

function toJson(results: readonly ImportResult[]): object {
  if (results.length > 1) return { sessions: results }
  const { title, ...only } = results[0]!
  return only
}

function toLine({ session, title, added, duplicates }: ImportResult): string {
  const name = title === null ? '' : ` (${JSON.stringify(title)})`
  return `${JSON.stringify(session)}${name}: ${added} added, ${duplicates} there already\n`
}

const HEAD_BYTES = 64 * 1024

/** What `export` wrote is one object; `null`: a transcript. */
async function readExport(source: Source): Promise<unknown> {
  const head = (await readHead(source, HEAD_BYTES)).toString()
  if (!/"format"\s*:\s*"palimpsest-session"/.test(head)) return null
  const read = await readDocument(source)
  const json = 'value' in read ? (read.value as { format?: unknown } | null) : null
  return json?.format === 'palimpsest-session' ? json : null
}

async function restore(json: unknown, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const environment = environmentSettings(terminal)
  const store = await openStore(flags)
  const redact = await redactionFor(flags, { store, environment })
  const { namespace } = flags
  await using palimpsest = await createPalimpsest({ store, namespace, redact, folding: 'manual' })
  const options = flags.session === undefined ? {} : { id: flags.session }
  const { session, warnings } = await palimpsest.import(json, options)
  for (const warning of warnings) terminal.error.write(`warning: ${warning}\n`)
  const added = await session.count()
  await waitForIndex(palimpsest, { store, namespace, sessions: [session.id], messages: added }, terminal)
  terminal.output.write(
    flags.json
      ? `${JSON.stringify({ session: session.id, messages: added, added, duplicates: 0 })}\n`
      : `${JSON.stringify(session.id)}: restored with ${added} messages\n`,
  )
}

const MESSAGES_AT_A_TIME = 200

interface Import {
  readonly transcript: Transcript
  readonly session: Session
}

function importAll(imports: readonly Import[], terminal: Terminal): Promise<ImportResult[]> {
  return interruptible(async isInterrupted => {
    const progress = new Progress(terminal, 'importing')
    const bytes = imports.reduce((sum, { transcript }) => sum + transcript.bytes, 0)
    const results: ImportResult[] = []
    let bytesBefore = 0
    try {
      for (const { transcript, session } of imports) {
        const { path, title } = transcript
        const file = imports.length > 1 ? `${path}, ${JSON.stringify(session.id)}` : path
        const addedBefore = results.reduce((sum, { added }) => sum + added, 0)
        let added = 0
        let duplicates = 0
        let lacking: readonly string[] = []
        for await (const batch of inBatches(transcript.read(), MESSAGES_AT_A_TIME)) {
          if (isInterrupted()) throw interrupted(addedBefore + added)
          const { messages, unassigned } = await appendBatch(session, batch, file, addedBefore + added)
          lacking = unassigned ?? []
          const known = messages.filter(message => message.duplicate).length
          duplicates += known
          added += messages.length - known
          const share = (bytesBefore + batch.at(-1)!.position) / bytes
          progress.update(share, `${addedBefore + added} messages added`)
        }
        bytesBefore += transcript.bytes
        if (lacking.length > 0)
          terminal.error.write(
            `warning: ${JSON.stringify(session.id)} was there without a ${lacking.join(' and a ')}, and still is: an import assigns none\n`,
          )
        results.push({ session: session.id, title, messages: added + duplicates, added, duplicates })
      }
    } finally {
      progress.end()
    }
    return results
  })
}

function interrupted(added: number): InterruptedError {
  return new InterruptedError(
    `Interrupted: ${added} messages added so far. Run it again to go on; what is there stays.`,
  )
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
    const place = batch.find(entry => toInput(entry).externalId === externalId)?.place
    throw new PalimpsestError(
      error.code,
      `${file}${place ? `, ${place}` : ''}: ${error.message} (${added} messages were added before.)`,
      { ...error.details, file, place, added },
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
