import { copyFile, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ErasedHashes, type ErasedLine, type FilesLine, isFilesLine } from '../erasure/erased-line.ts'
import { keyFileOf, readKey, readList } from '../erasure/erased-list.ts'
import { PalimpsestError } from '../errors.ts'
import { closeToOthers } from '../store/private-file.ts'
import { syncFolder } from '../sync-folder.ts'
import { syncFile } from './restore-files.ts'

/** The list of what was erased, as a restore found it. */
export interface FoundList {
  readonly path: string
  readonly lines: readonly (ErasedLine | FilesLine)[]
  readonly hashes: ErasedHashes
}

/** `null`: there is no such file, or it is empty. */
export async function findList(path: string): Promise<FoundList | null> {
  const lines = await readList(path)
  if (lines === null || lines.length === 0) return null
  const key = await readKey(path)
  if (key === null) throw unreadable(path, `its key ${JSON.stringify(keyFileOf(path))} is not there`)
  const hashes = new ErasedHashes(key)
  const others = lines.filter(line => !isFilesLine(line) && line.key !== hashes.check).length
  if (others > 0) throw unreadable(path, `${others} of its lines were written under another key`)
  return { path, lines, hashes }
}

function unreadable(path: string, reason: string): ErasedListError {
  return new ErasedListError(
    `The list of what was erased ${JSON.stringify(path)} cannot be read: ${reason}. Put the key that belongs to it beside it.`,
    { list: path },
  )
}

/** It is not known, or not fully known, what was erased since the backup. */
export class ErasedListError extends PalimpsestError {
  override readonly name = 'ErasedListError'
  constructor(message: string, details: { readonly list: string; readonly erasures?: number }) {
    super('erased_list_missing', `${message} Nothing was changed.`, details)
  }
}

/** The databases that the list has lines for. */
export function databasesOf({ lines }: Pick<FoundList, 'lines'>): ReadonlySet<string> {
  return new Set(lines.map(({ database }) => database))
}

/** Copies the key first, so that the list is never without it. */
export async function carryAlong(from: string, to: string): Promise<void> {
  for (const [source, target] of [
    [keyFileOf(from), keyFileOf(to)],
    [from, to],
  ] as const) {
    const temporary = `${target}.copying`
    await copyFile(source, temporary)
    closeToOthers(temporary)
    await syncFile(temporary)
    await rename(temporary, target)
  }
  await syncFolder(dirname(to))
}

type Lines = FoundList['lines']

/** Adds the lines that are not there yet. */
export async function addLines(list: string, lines: Lines, there: Lines): Promise<void> {
  const known = new Set(there.map(line => JSON.stringify(line)))
  const missing = lines.map(line => JSON.stringify(line)).filter(text => !known.has(text))
  if (missing.length === 0) return
  const handle = await open(list, 'a')
  try {
    await handle.writeFile(missing.map(text => `\n${text}\n`).join(''))
    await handle.sync()
  } finally {
    await handle.close()
  }
}
