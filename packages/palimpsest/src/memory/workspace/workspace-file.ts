import { isUtf8 } from 'node:buffer'
import { dailyKey, type LayerName, parseDailyKey } from '../../store/index.ts'
import { normalizeMarkdown } from '../document/index.ts'
import { type DayName, type DocumentName, decodeId, encodeId, fileOf, isShortened } from './file-names.ts'

/**
 * How documents stand in a file. Lines that begin with `<!-- palimpsest:` are ours: the last one tells a
 * file that was cut off from one whose last lines a person deleted, and the first one tells whose it is where
 * the name cannot. A day's file has a section for each chat, named by its id as in file names. What looks
 * like one of these inside a document has a backslash before it, so that reading gives back exactly what
 * was written, whatever it says.
 */

export type FileName = DocumentName | DayName

export interface FilePart {
  readonly layer: LayerName
  readonly key: string
  readonly content: string
}

export interface FileContent {
  readonly parts: readonly FilePart[]
  /** Of a day's file: what stands above the first chat, and so belongs to none. */
  readonly loose: string
  /** It has its last line. */
  readonly isEnded: boolean
}

const END = '<!-- palimpsest: end of the file -->'
const END_LINE = /^[ \t]*<!-- palimpsest: end of the file -->[ \t]*$/
const ID_LINE = /^[ \t]*<!-- palimpsest: (\{.*\}) -->[ \t]*$/
const OURS = /^([ \t]*\\*)(?=<!-- palimpsest: )/gm
const OURS_ESCAPED = /^([ \t]*\\*)\\(?=<!-- palimpsest: )/gm
const HEADING = /^(\\*)(?=##?(?:[ \t]|$))/gm
const HEADING_ESCAPED = /^(\\*)\\(?=##?(?:[ \t]|$))/gm

/** Of documents that belong into one file, in this order, and of what belongs to none of them. */
export function renderFile(name: FileName, parts: readonly Omit<FilePart, 'layer'>[], loose = ''): string {
  return `${name.layer === 'daily' ? renderDay(name, parts, loose) : renderDocument(name, parts)}${END}\n`
}

function renderDocument(name: DocumentName, parts: readonly Omit<FilePart, 'layer'>[]): string {
  const text = parts.map(({ content }) => escapeOurs(normalizeMarkdown(content))).join('')
  return isShortened(fileOf(name)) ? `${idLine(name.key)}\n${text}` : text
}

function renderDay({ day }: DayName, parts: readonly Omit<FilePart, 'layer'>[], loose: string): string {
  const sections = parts.map(({ key, content }) => `## ${encodeId(sessionOf(key))}\n${renderBody(content)}`)
  return [`# ${day}\n${renderBody(loose)}`, ...sections].map(section => `${section}\n`).join('')
}

function renderBody(content: string): string {
  const text = normalizeMarkdown(content)
  return text === '' ? '' : `\n${escapeOurs(text).replace(HEADING, '$1\\')}`
}

function sessionOf(key: string): string {
  return parseDailyKey(key)?.sessionId ?? ''
}

/** The id as JSON that cannot end the comment. */
function idLine(id: string): string {
  const json = JSON.stringify({ id }).replace(
    /[->]/g,
    character => `\\u00${character.charCodeAt(0).toString(16)}`,
  )
  return `<!-- palimpsest: ${json} -->`
}

/** The id that the first line tells; `null`: it tells none. */
export function readIdLine(text: string): string | null {
  try {
    const [line = ''] = text.split('\n', 1)
    const { id } = JSON.parse(ID_LINE.exec(line)?.[1] ?? '{}')
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}

export type ReadText =
  /** Normalised as documents are. */
  | { readonly text: string; readonly isTerminated: boolean }
  /** Why nothing can be taken from it. */
  | { readonly damage: string }

export function readFile(bytes: Uint8Array): ReadText {
  if (!isUtf8(bytes)) return { damage: 'it is not UTF-8' }
  if (bytes.includes(0)) return { damage: 'it holds NULs' }
  const text = new TextDecoder('utf-8').decode(bytes)
  return { text: normalizeMarkdown(text), isTerminated: /[\r\n]$/.test(text) }
}

/** The reverse of `renderFile`, for a text as `readFile` gives it. */
export function parseFile(name: FileName, text: string): FileContent {
  const all = text.split('\n')
  if (name.layer !== 'daily' && isShortened(fileOf(name)) && readIdLine(text) !== null) all.shift()
  const lines = all.filter(line => !END_LINE.test(line))
  const isEnded = lines.length < all.length
  if (name.layer === 'daily') return { ...parseDay(name, lines), isEnded }
  const content = unescapeOurs(normalizeMarkdown(lines.join('\n')))
  return { parts: [{ ...name, content }], loose: '', isEnded }
}

function parseDay({ day }: DayName, lines: readonly string[]): Pick<FileContent, 'parts' | 'loose'> {
  const bodies = new Map<string, string[]>()
  const loose: string[] = []
  let body = loose
  for (const [place, line] of lines.entries()) {
    const id = line.startsWith('## ') ? decodeId(line.slice(3).trimEnd()) : null
    if (id !== null) {
      body = bodies.get(id) ?? []
      bodies.set(id, body)
    } else if (place > 0 || line.trimEnd() !== `# ${day}`) body.push(line)
  }
  const parts = [...bodies].map(([id, lines]) => ({
    layer: 'daily' as const,
    key: dailyKey(day, id),
    content: readBody(lines),
  }))
  return { parts, loose: readBody(loose) }
}

function readBody(lines: readonly string[]): string {
  const text = (lines[0] === '' ? lines.slice(1) : lines).join('\n')
  return normalizeMarkdown(unescapeOurs(text).replace(HEADING_ESCAPED, '$1'))
}

function escapeOurs(text: string): string {
  return text.replace(OURS, '$1\\')
}

function unescapeOurs(text: string): string {
  return text.replace(OURS_ESCAPED, '$1')
}
