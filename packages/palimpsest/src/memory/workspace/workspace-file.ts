import { isUtf8 } from 'node:buffer'
import { dailyKey, type LayerName, parseDailyKey } from '../../store/index.ts'
import { normalizeMarkdown } from '../document/index.ts'
import { type DayName, type DocumentName, decodeId, encodeId, fileOf, isShortened } from './file-names.ts'

/**
 * The form of documents in a file. Lines that begin with `<!-- palimpsest:` are ours. The last one tells a
 * cut-off file from one whose last lines a person deleted. The first one has the id, if the name cannot hold
 * it. The file of a day has a section for each chat, with the id encoded as in file names. A line of a
 * document that looks like one of ours gets a backslash before it. So a read gives back exactly the written
 * text, whatever that is.
 */

export type FileName = DocumentName | DayName

export interface FilePart {
  readonly layer: LayerName
  readonly key: string
  readonly content: string
}

export interface FileContent {
  readonly parts: readonly FilePart[]
  /** In the file of a day: the text above the first chat. It belongs to no chat. */
  readonly loose: string
  /** Whether the file has its last line. */
  readonly isEnded: boolean
}

const END = '<!-- palimpsest: end of the file -->'
const END_LINE = /^[ \t]*<!-- palimpsest: end of the file -->[ \t]*$/
const ID_LINE = /^[ \t]*<!-- palimpsest: (\{.*\}) -->[ \t]*$/
const OURS = /^([ \t]*\\*)(?=<!-- palimpsest: )/gm
const OURS_ESCAPED = /^([ \t]*\\*)\\(?=<!-- palimpsest: )/gm
const HEADING = /^(\\*)(?=##?(?:[ \t]|$))/gm
const HEADING_ESCAPED = /^(\\*)\\(?=##?(?:[ \t]|$))/gm

/** Renders the documents of one file, in this order, and the text that belongs to none of them. */
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

/** The id in the first line. `null`: there is none. */
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
  /** Normalised like documents. */
  | { readonly text: string; readonly isTerminated: boolean }
  /** Why nothing can be taken from the file. */
  | { readonly damage: string }

export function readFile(bytes: Uint8Array): ReadText {
  if (!isUtf8(bytes)) return { damage: 'it is not UTF-8' }
  if (bytes.includes(0)) return { damage: 'it holds NULs' }
  const text = new TextDecoder('utf-8').decode(bytes)
  return { text: normalizeMarkdown(text), isTerminated: /[\r\n]$/.test(text) }
}

/** The reverse of `renderFile`, for a text from `readFile`. */
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
