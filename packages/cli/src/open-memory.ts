import { memoryOf, redactionOf } from '@palimpsest/server/internals/configuration'
import { missingDocument, readDocumentName } from '@palimpsest/server/internals/document-name'
import type { MemoryDocument } from 'palimpsest/internals/memory/index'
import { createPalimpsest, type Palimpsest } from 'palimpsest/internals/palimpsest'
import type { LayerName } from 'palimpsest/internals/store/index'
import { openReadOnly, orClose, requireDatabase } from './existing-database.ts'
import type { MemoryFlags, WrittenName } from './memory.ts'
import { openStore } from './options.ts'
import { environmentSettings, storedSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'

export interface OpenMemory extends AsyncDisposable {
  readonly palimpsest: Palimpsest
  readonly zone: string
  readonly budgets: Readonly<Record<LayerName, number>>
}

/** Opens a memory with the budgets and the zone that a server on the same database has. It needs no model. */
export async function openMemory(
  flags: MemoryFlags,
  terminal: Terminal,
  { to }: { readonly to: 'read' | 'change' | 'create' },
): Promise<OpenMemory> {
  const environment = environmentSettings(terminal)
  if (to !== 'create') requireDatabase(flags)
  const store = await (to === 'read' ? openReadOnly : openStore)(flags)
  return orClose(store, async () => {
    const { namespace } = flags
    const values = await storedSettings(store, { namespace, environment })
    const { zone } = values
    const memory = memoryOf(values)
    const palimpsest = await createPalimpsest({
      ...{ store, namespace, zone, memory },
      redact: redactionOf(values),
      folding: 'manual',
      ...(to === 'read' && { indexing: 'off' }),
    })
    return {
      palimpsest,
      zone,
      budgets: memory.budgets,
      [Symbol.asyncDispose]: () => palimpsest.close(),
    }
  })
}

export function documentOf({ palimpsest }: OpenMemory, written: WrittenName): MemoryDocument {
  const { layer, key } = readDocumentName(written.layer, written.key)
  return palimpsest.memory.document(layer, key)
}

/** Throws where the document is not there. */
export async function readExisting({ palimpsest }: OpenMemory, document: MemoryDocument) {
  const content = await document.read()
  if (content === null) throw await missingDocument(palimpsest, document)
  return content
}
