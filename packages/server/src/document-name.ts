import {
  DocumentNotFoundError,
  InvalidArgumentError,
  SessionNotFoundError,
} from 'palimpsest/internals/errors'
import { checkDocumentKey, type MemoryDocument } from 'palimpsest/internals/memory/index'
import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import { documentSession, type LayerName } from 'palimpsest/internals/store/index'

/** How paths and the command line write the key of a layer that has only one document. */
const ONLY_KEY = 'default'

export interface DocumentName {
  readonly layer: LayerName
  readonly key: string
}

/** What to give as the key, for the error when the key is missing. */
const KEYS: Readonly<Record<string, string>> = {
  user: 'the id of a user',
  scope: 'the id of a workspace or project',
  chat: 'the id of a session',
  daily: 'a day and a session, as in 2026-02-10/telegram:42',
}

/**
 * Reads the name of a document as callers write it. The layers persona and global have one document each, so
 * their key may be left out.
 */
export function readDocumentName(layer: string, written: string | undefined): DocumentName {
  if (layer !== 'persona' && layer !== 'global') {
    if (written === undefined && Object.hasOwn(KEYS, layer))
      throw new InvalidArgumentError('key', written, KEYS[layer]!)
    return checkDocumentKey(layer, written)
  }
  if (written === undefined || written === ONLY_KEY || written === layer) return { layer, key: '' }
  throw new InvalidArgumentError('key', written, `none, or "${ONLY_KEY}": there is one ${layer} document`)
}

export function writtenKey({ layer, key }: DocumentName): string {
  return layer === 'persona' || layer === 'global' ? ONLY_KEY : key
}

/**
 * The error for a document that does not exist: its session does not
 * exist, or the document was never written.
 */
export async function missingDocument(
  palimpsest: Palimpsest,
  document: Pick<MemoryDocument, 'layer' | 'key'>,
): Promise<SessionNotFoundError | DocumentNotFoundError> {
  const id = documentSession(document)
  if (id !== null && (await palimpsest.session(id).info()) === null) return new SessionNotFoundError(id)
  return new DocumentNotFoundError(document)
}
