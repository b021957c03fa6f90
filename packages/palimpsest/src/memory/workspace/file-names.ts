import { createHash } from 'node:crypto'
import { InvalidArgumentError } from '../../errors.ts'
import { ID_RULE, isId, MAX_ID_CHARACTERS } from '../../log/index.ts'
import { type LayerName, parseDailyKey } from '../../store/index.ts'

/**
 * Maps documents to file paths and back. An id may be any text, but a file name may not. So all characters
 * except `a-z`, `0-9`, `_`, `-` and single dots inside are written as `%xx`. Capital letters are written so
 * too, since some file systems do not tell them from small ones. So two ids never share a name, on any file
 * system, and no id leaves its folder.
 */

export type DocumentName = { readonly layer: Exclude<LayerName, 'daily'>; readonly key: string }
/** One file holds the documents of all sessions of a day. */
export type DayName = { readonly layer: 'daily'; readonly day: string }

const SINGLE = { persona: 'SOUL.md', global: 'MEMORY.md' } as const
const FOLDERS = { user: 'users', scope: 'scopes', chat: 'chat_memories' } as const
const DAYS = 'memory'
const EXTENSION = '.md'

/** All folders with documents. `''` is the workspace itself. */
export const DOCUMENT_FOLDERS: readonly string[] = ['', ...Object.values(FOLDERS), DAYS]

/** File systems allow 255 bytes. Names of set-aside and temporary files need some of them. */
const MAX_NAME_CHARACTERS = 200
const SHORTENED_CHARACTERS = 120
const DIGEST_CHARACTERS = 40

/** Windows reserves these names, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/
/** The short form of a long id. A `~` appears in no other name, since ids encode it. */
const SHORTENED = /^[a-z0-9_%.-]{1,120}~[0-9a-f]{40}$/
const DOT = 0x2e
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The path relative to the workspace, with `/`. */
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
 * The document of a file. `null`: the name does not tell it. For a long id, the file's first line has the id,
 * and `documentOfShortened` checks it.
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

/** Whether only the first line of the file tells its document. */
export function isShortened(path: string): boolean {
  const parts = splitPath(path)
  return parts !== null && layerOf(parts.folder) !== null && SHORTENED.test(parts.name)
}

/** The document of a file with this id. `null`: the digest in the name belongs to another id. */
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

/** The result may be of any length. `decodeId` is the reverse. */
export function encodeId(id: string): string {
  const bytes = Buffer.from(id)
  const name = Array.from(bytes, (byte, place) =>
    isPlain(bytes, place) ? String.fromCharCode(byte) : hex(byte),
  ).join('')
  return DEVICE.test(name) ? `${hex(name.charCodeAt(0))}${name.slice(1)}` : name
}

/** A dot is plain, unless it begins or ends the id or follows another dot. */
function isPlain(bytes: Uint8Array, place: number): boolean {
  const byte = bytes[place]!
  if (byte !== DOT) return /[a-z0-9_-]/.test(String.fromCharCode(byte))
  return place > 0 && place < bytes.length - 1 && bytes[place - 1] !== DOT
}

function hex(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`
}

/** `null`: `encodeId` does not write such a name. So each id has exactly one name. */
export function decodeId(name: string): string | null {
  if (name.length > MAX_ID_CHARACTERS * 9 || !/^(?:[a-z0-9_.-]|%[0-9a-f]{2})+$/.test(name)) return null
  try {
    const id = decodeURIComponent(name)
    return isId(id) && encodeId(id) === name ? id : null
  } catch {
    return null
  }
}
