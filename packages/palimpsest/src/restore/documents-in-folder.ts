import { readFile as readBytes, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DOCUMENT_FOLDERS, documentOf, documentOfShortened } from '../memory/workspace/file-names.ts'
import { parseFile, readFile, readIdLine } from '../memory/workspace/workspace-file.ts'
import type { LayerName } from '../store/index.ts'

/**
 * The documents that the files of a workspace belong to. It changes nothing, since the folder may be in use
 * by the database that the backup was made of. `null`: there is no such folder on this machine.
 */
export async function documentsInFolder(
  folder: string,
): Promise<readonly { readonly layer: LayerName; readonly key: string }[] | null> {
  const there = await readdir(folder).catch(() => null)
  if (there === null) return null
  const documents: { layer: LayerName; key: string }[] = []
  for (const name of DOCUMENT_FOLDERS)
    for (const file of await readdir(join(folder, name)).catch(() => []))
      documents.push(...(await documentsIn(folder, name === '' ? file : `${name}/${file}`)))
  return documents
}

async function documentsIn(
  folder: string,
  path: string,
): Promise<readonly { layer: LayerName; key: string }[]> {
  const bytes = await readBytes(join(folder, path)).catch(() => null)
  const read = bytes && readFile(bytes)
  const text = read && 'text' in read ? read.text : ''
  const name = documentOf(path) ?? documentOfShortened(path, readIdLine(text) ?? '')
  if (name === null) return []
  if (name.layer !== 'daily') return [{ layer: name.layer, key: name.key }]
  return parseFile(name, text).parts.map(({ layer, key }) => ({ layer, key }))
}
