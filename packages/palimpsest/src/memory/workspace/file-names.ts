import { createHash } from 'node:crypto'
import { InvalidArgumentError } from '../../errors.ts'
import { ID_RULE, isId, MAX_ID_CHARACTERS } from '../../log/index.ts'
import { type LayerName, parseDailyKey } from '../../store/index.ts'

/**
 * Where a document's file is, and back. An id may be any text, a file name may not: all but `a-z`, `0-9`,
 * `_`, `-` and single dots inside stands as `%xx`. Capitals do too, since some file systems do not tell them
 * from small letters. So no two ids have one name, on any file system, and none leaves its folder.
 */

export type DocumentName = { readonly layer: Exclude<LayerName, 'daily'>; readonly key: string }
/** One file holds a day's documents of all sessions. */
export type DayName = { readonly layer: 'daily'; readonly day: string }

const SINGLE = { persona: 'SOUL.md', global: 'MEMORY.md' } as const
const FOLDERS = { user: 'users', scope: 'scopes', chat: 'chat_memories' } as const
const DAYS = 'memory'
const EXTENSION = '.md'

/** All that hold documents; `''` is the workspace itself. */
export const DOCUMENT_FOLDERS: readonly string[] = ['', ...Object.values(FOLDERS), DAYS]

/** File systems take 255 bytes; what is set aside, and temporary files, need some of them. */
const MAX_NAME_CHARACTERS = 200
const SHORTENED_CHARACTERS = 120
const DIGEST_CHARACTERS = 40

/** Windows keeps these for itself, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/
/** What `encodeId` may leave of a long id. A `~` is nowhere else, since in an id it is encoded. */
const SHORTENED = /^[a-z0-9_%.-]{1,120}~[0-9a-f]{40}$/
const DOT = 0x2e
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Relative to the workspace, with `/`. */
export function fileOf({ layer, key }: { readonly layer: LayerName; readonly key: string }): string {
  if (layer === 'persona' || layer === 'global') return SINGLE[layer]
  if (layer === 'daily') return dayFile(parseDailyKey(key)?.day ?? refuse(key, 'a day, a slash and an id'))
  return `${FOLDERS[layer]}/${nameOf(isId(key) ? key : refuse(key, ID_RULE))}${EXTENSION}`
}

export function dayFile(day: string): string {
  return `${DAYS}/${day}${EXTENSION}`
}

function refuse(key: string, allowed: string): never {
  throw new InvalidArgumentError('key', key, allowed)
}

/**
 * Which document a file is; `null`: none that its name tells. A long id is not in the name but in the
 * file's first line: for those there is `documentOfShortened`.
 */
export function documentOf(path: string): DocumentName | DayName | null {
  if (path === SINGLE.persona) return { layer: 'persona', key: '' }
  if (path === SINGLE.global) return { layer: 'global', key: '' }
  const parts = splitPath(path)
  if (!parts) return null
  if (parts.folder === DAYS) return DAY.test(parts.name) ? { layer: 'daily', day: parts.name } : null
  const layer = layerOf(parts.folder)
  const id = layer && parts.name.length <= MAX_NAME_CHARACTERS ? decodeId(parts.name) : null
  return layer && id !== null ? { layer, key: id } : null
}

/** A file whose first line has to say whose it is. */
export function isShortened(path: string): boolean {
  const parts = splitPath(path)
  return parts !== null && layerOf(parts.folder) !== null && SHORTENED.test(parts.name)
}

/** Which document it is if that id is its own; `null`: by its digest it is another's. */
export function documentOfShortened(path: string, id: string): DocumentName | null {
  const layer = layerOf(splitPath(path)?.folder ?? '')
  if (!layer || !isShortened(path) || !isId(id)) return null
  const name = { layer, key: id }
  return fileOf(name) === path ? name : null
}

function splitPath(path: string): { folder: string; name: string } | null {
  const [folder, file, ...more] = path.split('/')
  if (!folder || !file?.endsWith(EXTENSION) || more.length > 0) return null
  return { folder, name: file.slice(0, -EXTENSION.length) }
}

function layerOf(folder: string): keyof typeof FOLDERS | null {
  return (Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]).find(layer => FOLDERS[layer] === folder) ?? null
}

function nameOf(id: string): string {
  const name = encodeId(id)
  if (name.length <= MAX_NAME_CHARACTERS) return name
  const head = name.slice(0, SHORTENED_CHARACTERS).replace(/%[0-9a-f]?$/, '')
  const digest = createHash('sha256').update(id).digest('hex').slice(0, DIGEST_CHARACTERS)
  return `${head}~${digest}`
}

/** Of any length; `decodeId` is its reverse. */
export function encodeId(id: string): string {
  const bytes = Buffer.from(id)
  const name = Array.from(bytes, (byte, place) =>
    isPlain(bytes, place) ? String.fromCharCode(byte) : hex(byte),
  ).join('')
  return DEVICE.test(name) ? `${hex(name.charCodeAt(0))}${name.slice(1)}` : name
}

/** A dot is, unless it begins or ends the id or follows another one. */
function isPlain(bytes: Uint8Array, place: number): boolean {
  const byte = bytes[place]!
  if (byte !== DOT) return /[a-z0-9_-]/.test(String.fromCharCode(byte))
  return place > 0 && place < bytes.length - 1 && bytes[place - 1] !== DOT
}

function hex(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`
}

/** `null` where it is no id as `encodeId` writes it, so that each id has one name only. */
export function decodeId(name: string): string | null {
  if (name.length > MAX_ID_CHARACTERS * 9 || !/^(?:[a-z0-9_.-]|%[0-9a-f]{2})+$/.test(name)) return null
  try {
    const id = decodeURIComponent(name)
    return isId(id) && encodeId(id) === name ? id : null
  } catch {
    return null
  }
}
