import { existsSync } from 'node:fs'
import {
  lineId,
  openSource,
  readDocument,
  readHead,
  type Source,
  type Transcript,
  type TranscriptMessage,
} from '@palimpsest/replay/internals/transcript/index'
import { redactionOf } from '@palimpsest/server/internals/configuration'
import { type Layer, resolveSettings } from 'palimpsest/internals/config/index'
import { PalimpsestError, SessionExistsError } from 'palimpsest/internals/errors'
import type { MessageInput } from 'palimpsest/internals/log/index'
import { createPalimpsest, type Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Session } from 'palimpsest/internals/session'
import { parseSessionFile, type Store } from 'palimpsest/internals/store/index'
import { openForReading, orClose } from './existing-database.ts'
import type { ImportFlags } from './import.ts'
import { addBotDocuments, addDocuments, type ImportedDocument, importWhole } from './import-older.ts'
import { type PlannedSession, type Planning, planSessions, sessionNames } from './import-plan.ts'
import {
  documentLine,
  dryRunLine,
  type ImportResult,
  resultOf,
  sessionLine,
  wholeJson,
  wholeLines,
} from './import-text.ts'
import { openStore } from './options.ts'
import { readTranscripts } from './read-transcripts.ts'
import { environmentSettings, storedSettings } from './stored-settings.ts'
import { InterruptedError, interruptible, Progress, type Terminal } from './terminal.ts'
import { waitForIndex } from './wait-for-index.ts'

export async function runImport(file: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const source = await openSource(file)
  const exported = await readExport(source)
  const environment = environmentSettings(terminal)
  if (flags.dryRun) return tryImport(source, exported, { flags, environment }, terminal)
  if (exported !== null) return restore(exported, { flags, environment }, terminal)
  const { zone } = resolveSettings({ environment }).values
  const transcripts = await readTranscripts(source, terminal, { ...flags, zone })
  const names = sessionNames(flags.session, transcripts)
  const store = await openStore(flags)
  const redact = await orClose(store, () => redactionFor(flags, { store, environment }))
  const { namespace } = flags
  await using palimpsest = await createPalimpsest({ store, namespace, redact, folding: 'manual' })
  const planned = await planAll(transcripts, names, { flags, zone, palimpsest, counts: 'older' })
  const imports: Import[] = []
  for (const plan of planned) {
    // The kind that the transcript suggests is a guess. It applies to new sessions only.
    const guess = plan.state === 'new' ? plan.transcript.kind : undefined
    const kind = flags.kind ?? guess
    const session = palimpsest.session(plan.session, {
      ...(kind !== undefined && { kind }),
      ...(flags.user !== undefined && { user: flags.user }),
      ...(flags.scope !== undefined && { scope: flags.scope }),
    })
    imports.push({ plan, session })
  }
  const results = await importAll(palimpsest, imports, terminal)
  const bot = flags.conversation === undefined ? transcripts[0]!.bot : null
  const documents = await addBotDocuments(palimpsest, bot, 'write')
  const messages = results.reduce((sum, result) => sum + result.messages, 0)
  await waitForIndex(palimpsest, { store, namespace, sessions: names, messages }, terminal)
  terminal.output.write(
    flags.json
      ? `${JSON.stringify(toJson(results, planned, documents))}\n`
      : `${results.map((result, index) => `${sessionLine(result)}${wholeLines(planned[index]!)}`).join('')}${documents.map(documentLine).join('')}`,
  )
}

interface Run {
  readonly flags: ImportFlags
  readonly environment: Layer
}

/** Reads only. It creates no database and migrates none. */
async function tryImport(source: Source, exported: unknown, { flags, environment }: Run, terminal: Terminal) {
  const { zone } = resolveSettings({ environment }).values
  const isThere = flags.store !== undefined || existsSync(flags.db)
  const reading = isThere ? await openForReading(flags, environment) : null
  try {
    const palimpsest = reading?.palimpsest ?? null
    if (exported !== null) return await tryRestore(exported, palimpsest, flags, terminal)
    const transcripts = await readTranscripts(source, terminal, { ...flags, zone })
    const names = sessionNames(flags.session, transcripts)
    const planned = await planAll(transcripts, names, { flags, zone, palimpsest, counts: 'all' })
    const bot = flags.conversation === undefined ? transcripts[0]!.bot : null
    const documents = await addBotDocuments(palimpsest, bot, 'look')
    const { path, format } = transcripts[0]!
    const sessions = planned.map(plan => ({ ...resultOf(plan), ...wholeJson(plan) }))
    terminal.output.write(
      flags.json
        ? `${JSON.stringify({ dryRun: true, file: path, format, sessions, documents })}\n`
        : `${dryRunLine(transcripts[0]!)}${planned.map(plan => `${sessionLine(resultOf(plan))}${wholeLines(plan)}`).join('')}${documents.map(documentLine).join('')}`,
    )
  } finally {
    await reading?.[Symbol.asyncDispose]()
  }
}

async function tryRestore(
  json: unknown,
  palimpsest: Palimpsest | null,
  { session, json: asJson }: ImportFlags,
  terminal: Terminal,
): Promise<void> {
  const { file, warnings } = parseSessionFile(json)
  const id = session ?? file.id
  if (id !== '' && palimpsest !== null && (await palimpsest.session(id).info()) !== null)
    throw new SessionExistsError(id)
  for (const warning of warnings) terminal.error.write(`warning: ${warning}\n`)
  const messages = file.messages.length
  const result = { session: id, title: null, messages, added: messages, duplicates: 0, state: 'new' }
  terminal.output.write(
    asJson
      ? `${JSON.stringify({ dryRun: true, format: file.format, sessions: [result], documents: [] })}\n`
      : `Nothing was written. ${JSON.stringify(id)} would be restored with ${messages} messages.\n`,
  )
}

function planAll(
  transcripts: readonly Transcript[],
  names: readonly string[],
  options: Omit<Planning, 'check'>,
) {
  return interruptible(isInterrupted =>
    planSessions(transcripts, names, {
      ...options,
      check: () => {
        if (isInterrupted()) throw new InterruptedError('Interrupted while reading; nothing was done.')
      },
    }),
  )
}

/** Redacts as a server on the same database does, unless the command line forbids it. */
async function redactionFor(
  { redact, namespace }: ImportFlags,
  { store, environment }: { readonly store: Store; readonly environment: Layer },
) {
  return redact && redactionOf(await storedSettings(store, { namespace, environment }))
}

function toJson(
  results: readonly ImportResult[],
  planned: readonly PlannedSession[],
  documents: readonly ImportedDocument[],
): object {
  const told = results.map((result, index) => ({
    ...result,
    ...(planned[index]!.whole !== null && wholeJson(planned[index]!)),
  }))
  const besides = documents.length > 0 ? { documents } : {}
  if (told.length > 1 || documents.length > 0) return { sessions: told, ...besides }
  const { title, ...only } = told[0]!
  return only
}

const HEAD_BYTES = 64 * 1024

/** The one JSON object that `export` wrote. `null`: the file is a transcript. */
async function readExport(source: Source): Promise<unknown> {
  const head = (await readHead(source, HEAD_BYTES)).toString()
  if (!/"format"\s*:\s*"palimpsest-session"/.test(head)) return null
  const read = await readDocument(source)
  const json = 'value' in read ? (read.value as { format?: unknown } | null) : null
  return json?.format === 'palimpsest-session' ? json : null
}

async function restore(json: unknown, { flags, environment }: Run, terminal: Terminal): Promise<void> {
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
  readonly plan: PlannedSession
  readonly session: Session
}

function importAll(
  palimpsest: Palimpsest,
  imports: readonly Import[],
  terminal: Terminal,
): Promise<ImportResult[]> {
  return interruptible(async isInterrupted => {
    const progress = new Progress(terminal, 'importing')
    const bytes = imports.reduce((sum, { plan }) => sum + plan.transcript.bytes, 0)
    const results: ImportResult[] = []
    let bytesBefore = 0
    try {
      for (const { plan, session } of imports) {
        const { transcript } = plan
        const { path, title } = transcript
        const file = imports.length > 1 ? `${path}, ${JSON.stringify(session.id)}` : path
        const addedBefore = results.reduce((sum, { added }) => sum + added, 0)
        if (plan.whole !== null && plan.state === 'new') {
          if (isInterrupted()) throw interrupted(addedBefore)
          await importWhole(palimpsest, plan)
          bytesBefore += transcript.bytes
          results.push(resultOf(plan))
          progress.update(bytesBefore / bytes, `${addedBefore + plan.added} messages added`)
          continue
        }
        if (plan.whole !== null && plan.added === 0) {
          await addDocuments(palimpsest, plan)
          bytesBefore += transcript.bytes
          results.push(resultOf(plan))
          continue
        }
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
        await addDocuments(palimpsest, plan)
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
