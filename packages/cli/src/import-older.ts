import type { BotDocuments } from '@palimpsest/replay/internals/transcript/index'
import type { MemoryDocument } from 'palimpsest/internals/memory/index'
import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { PlannedSession } from './import-plan.ts'

/** What happens to a document that serves all chats. A document that is there already stays as it is. */
export interface ImportedDocument {
  readonly layer: 'persona' | 'global'
  /** The file that it was read from. */
  readonly file: string
  readonly state: 'added' | 'there' | 'different'
}

/** Imports a session of an older system with its documents, as a whole or not at all. */
export async function importWhole(palimpsest: Palimpsest, { session, whole }: PlannedSession): Promise<void> {
  await palimpsest.import(whole!.file, { id: session })
}

/**
 * Adds the documents that an existing session lacks. A document that it has stays, since it may be newer than
 * the file.
 */
export async function addDocuments(
  palimpsest: Palimpsest,
  { session, whole }: PlannedSession,
): Promise<void> {
  const { memory } = palimpsest
  for (const { day, versions } of whole?.file.documents ?? [])
    await addDocument(
      day === null ? memory.chat(session) : memory.daily(session, day),
      versions.at(-1)!.content,
      'write',
    )
}

/**
 * Adds the documents that the older bot kept for all of its chats. An existing document stays: every prompt
 * contains it.
 */
export async function addBotDocuments(
  palimpsest: Palimpsest | null,
  bot: BotDocuments | null,
  mode: 'write' | 'look',
): Promise<readonly ImportedDocument[]> {
  const added: ImportedDocument[] = []
  for (const layer of ['persona', 'global'] as const) {
    const given = bot?.[layer] ?? null
    if (given === null) continue
    const state =
      palimpsest === null ? 'added' : await addDocument(palimpsest.memory[layer], given.content, mode)
    added.push({ layer, file: given.file, state })
  }
  return added
}

async function addDocument(
  document: MemoryDocument,
  content: string,
  mode: 'write' | 'look',
): Promise<ImportedDocument['state']> {
  const there = await document.read()
  if (there !== null && there.content.trim() !== '')
    return there.content.trim() === content.trim() ? 'there' : 'different'
  if (mode === 'write') await document.replace(content, { author: 'import' })
  return 'added'
}
