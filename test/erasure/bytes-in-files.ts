import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How often a text stands in each file under a folder, byte by byte; files without it are left out. */
export function bytesInFiles(folder: string, text: string): Readonly<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const count = occurrences(readFileSync(path), Buffer.from(text))
    if (count > 0) found[path.slice(folder.length + 1)] = count
  }
  return found
}

function occurrences(bytes: Buffer, wanted: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + wanted.length)) count++
  return count
}
