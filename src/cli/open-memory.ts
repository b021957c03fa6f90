import { existsSync } from 'node:fs'
import { readEnvironment, resolveSettings, tryLayer } from '../config/index.ts'
import { PalimpsestError } from '../errors.ts'
import type { MemoryDocument } from '../memory/index.ts'
import { createPalimpsest, type Palimpsest } from '../palimpsest.ts'
import { memoryOf } from '../server/configuration.ts'
import { missingDocument, readDocumentName } from '../server/document-name.ts'
import type { LayerName } from '../store/index.ts'
import type { MemoryFlags, WrittenName } from './memory.ts'
import { openStore } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface OpenMemory extends AsyncDisposable {
  readonly palimpsest: Palimpsest
  readonly zone: string
  readonly budgets: Readonly<Record<LayerName, number>>
}

/** With the budgets and the zone that a server on the same database would have; no model is needed. */
export async function openMemory(
  flags: MemoryFlags,
  terminal: Terminal,
  { creates = false }: { readonly creates?: boolean } = {},
): Promise<OpenMemory> {
  const { layer: environment, warnings } = readEnvironment()
  for (const warning of warnings) terminal.error.write(`warning: ${warning}\n`)
  if (!creates && flags.store === undefined && !existsSync(flags.db)) throw missingDatabase(flags.db)
  const store = await openStore(flags)
  const { namespace } = flags
  const { layer: stored } = tryLayer(await store.readSettings(namespace), 'server')
  const { values } = resolveSettings({ stored, environment })
  const { zone } = values
  const memory = memoryOf(values)
  const palimpsest = await createPalimpsest({ store, namespace, zone, memory, folding: 'manual' })
  return {
    palimpsest,
    zone,
    budgets: memory.budgets,
    [Symbol.asyncDispose]: () => palimpsest.close(),
  }
}

/** Whoever misspells a name is told so, and gets no empty database. */
function missingDatabase(file: string): PalimpsestError {
  return new PalimpsestError(
    'file_not_found',
    `There is no database ${JSON.stringify(file)}. Name it with --db, or a PostgreSQL one with --store; a bot, serve and import make it.`,
    { file },
  )
}

export function documentOf({ palimpsest }: OpenMemory, written: WrittenName): MemoryDocument {
  const { layer, key } = readDocumentName(written.layer, written.key)
  return palimpsest.memory.document(layer, key)
}

/** Which has to be there. */
export async function readExisting({ palimpsest }: OpenMemory, document: MemoryDocument) {
  const content = await document.read()
  if (content === null) throw await missingDocument(palimpsest, document)
  return content
}
