import type { LayerName } from '../../store/index.ts'
import { codeOf, type Folder } from './folder.ts'
import { pathOf } from './mirror.ts'
import { namesOf } from './names-of.ts'
import type { Warnings } from './warnings.ts'
import { type FileName, parseFile, readFile, renderFile } from './workspace-file.ts'

type Document = { readonly layer: LayerName; readonly key: string }

export interface ErasedFiles {
  /** Documents that are in no file any more. */
  readonly documents: readonly Document[]
  readonly paths: readonly string[]
  /** The number of files that were removed or written again. Copies count too. */
  readonly files: number
}

/** If another program keeps writing a file, a later pass tries again. */
const TRIES = 3

/**
 * Removes erased documents from the files, and removes all copies of these files, even damaged or
 * half-written ones. The file of a day keeps the text of other chats. A removed file stays removed even after
 * a power cut. A file that cannot be removed brings a warning.
 */
export async function eraseFiles(
  folder: Folder,
  erased: readonly Document[],
  warnings: Warnings,
): Promise<ErasedFiles> {
  const files = groupByFile(erased)
  const copies = await listCopies(folder, files)
  const done: Erased[] = []
  let count = 0
  for (const file of files) {
    try {
      count += await eraseFile(folder, file)
      for (const path of copies.get(file.path) ?? []) count += (await folder.remove(path)) ? 1 : 0
      done.push(file)
    } catch (error) {
      warnings.once(file.path, `it has what was erased, and cannot be removed: ${codeOf(error)}`)
    }
  }
  for (const parent of new Set(done.map(({ path }) => parentOf(path)))) await folder.sync(parent)
  // A document that can have no file needs no removal.
  const without = erased.filter(document => [...namesOf([document])].length === 0)
  return {
    documents: [...done.flatMap(({ documents }) => documents), ...without],
    paths: done.map(({ path }) => path),
    files: count,
  }
}

interface Erased {
  readonly name: FileName
  readonly path: string
  readonly documents: Document[]
}

function groupByFile(erased: readonly Document[]): readonly Erased[] {
  const files = new Map<string, Erased>()
  for (const document of erased)
    for (const name of namesOf([document])) {
      const path = pathOf(name)
      const file = files.get(path) ?? { name, path, documents: [] }
      file.documents.push(document)
      files.set(path, file)
    }
  return [...files.values()]
}

async function listCopies(
  folder: Folder,
  files: readonly Erased[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const all = new Map<string, readonly string[]>()
  for (const parent of new Set(files.map(({ path }) => parentOf(path))))
    for (const [path, copies] of await folder.listCopies(parent)) all.set(path, copies)
  return all
}

/** The number of files that were changed: 0 or 1. */
async function eraseFile(folder: Folder, file: Erased): Promise<number> {
  for (let tries = 0; file.name.layer === 'daily' && tries < TRIES; tries++) {
    const found = await folder.look(file.path)
    const text = found.kind === 'file' ? await textOfOthers(folder, file) : null
    if (found.kind !== 'file' || text === null) break
    if (await folder.write(file.path, text, found.stamp)) return 1
    if (tries === TRIES - 1) throw Object.assign(new Error(), { code: 'somebody is writing it' })
  }
  return (await folder.remove(file.path)) ? 1 : 0
}

/** The text of other chats in the file of a day. `null`: the file is damaged, or has nothing else to keep. */
async function textOfOthers(folder: Folder, { name, path, documents }: Erased): Promise<string | null> {
  const read = readFile(await folder.read(path))
  if ('damage' in read) return null
  const { parts, loose, isEnded } = parseFile(name, read.text)
  const others = parts.filter(({ key }) => !documents.some(document => document.key === key))
  const isEmpty = others.length === 0 && loose === ''
  return isEnded && !isEmpty ? renderFile(name, others, loose) : null
}

function parentOf(path: string): string {
  const end = path.lastIndexOf('/')
  return end === -1 ? '' : path.slice(0, end)
}
