import {
  type AttachmentPart,
  attachmentName,
  type Content,
  type ContentPart,
  isAttachment,
  oneLine,
  splitLines,
} from '../../log/index.ts'
import { clip, clipMiddle } from '../clip.ts'

/** One paragraph of a message. Passages keep the order of the message. */
export interface Passage {
  readonly text: string
  readonly kind: 'prose' | 'code' | 'tool' | 'attachment'
}

/** A tool's result is quoted up to so many values and characters; the log keeps the rest. */
const MAX_FIGURES = 8
const MAX_VISITED = 200
const MAX_FIGURE_CHARACTERS = 60
const MAX_TEXT_CHARACTERS = 100_000

/** What can be extracted from a message. Reasoning and the bytes of attachments are left out. */
export function* readPassages(content: Content): Generator<Passage, void, void> {
  if (typeof content === 'string') yield* textPassages(content)
  else for (const part of content) yield* partPassages(part)
}

function* partPassages(part: ContentPart): Generator<Passage, void, void> {
  if (part.type === 'text') yield* textPassages(part.text)
  else if (part.type === 'tool-call')
    yield { kind: 'tool', text: toolLine(part.toolName, '', keyFigures(part.input)) }
  else if (part.type === 'tool-result')
    yield { kind: 'tool', text: toolLine(part.toolName ?? 'tool', '→ ', keyFigures(part.output)) }
  else if (isAttachment(part)) yield { kind: 'attachment', text: attachmentLabel(part) }
}

/** All of the content as one text, as a person would have it told. */
export function readableText(content: Content): string {
  return [...readPassages(content)].map(({ text }) => text).join('\n')
}

const FENCE = /^\s{0,3}(?:```|~~~)/

function* textPassages(text: string): Generator<Passage, void, void> {
  let isCode = false
  const clipped = clipMiddle(text, MAX_TEXT_CHARACTERS)
  for (const line of splitLines(clipped)) {
    if (FENCE.test(line)) {
      isCode = !isCode
      continue
    }
    const clean = oneLine(line)
    if (clean !== '') yield { kind: isCode ? 'code' : 'prose', text: clean }
  }
}

function toolLine(name: string, arrow: string, figures: readonly string[]): string {
  return `[${clip(oneLine(name), 60)}] ${arrow}${figures.join(', ')}`.trim()
}

/** The leaves of a JSON value with their keys. The look into the value is always bounded. */
function keyFigures(value: unknown): string[] {
  const figures: string[] = []
  const waiting: { key: string; value: unknown; depth: number }[] = [{ key: '', value, depth: 0 }]
  for (let visited = 0; visited < waiting.length && visited < MAX_VISITED; visited++) {
    if (figures.length >= MAX_FIGURES) break
    const entry = waiting[visited]!
    if (typeof entry.value === 'object' && entry.value !== null) {
      if (entry.depth >= 4) continue
      let taken = 0
      for (const key in entry.value) {
        if (++taken > MAX_FIGURES * 2) break
        const child = (entry.value as Record<string, unknown>)[key]
        waiting.push({
          key: Array.isArray(entry.value) ? entry.key : key,
          value: child,
          depth: entry.depth + 1,
        })
      }
    } else if (entry.value !== undefined && entry.value !== null && entry.value !== '') {
      const text = clip(oneLine(String(entry.value).slice(0, 1_000)), MAX_FIGURE_CHARACTERS)
      const key = clip(oneLine(entry.key), 30)
      if (text !== '') figures.push(key === '' || WRAPPERS.has(key) ? text : `${key} ${text}`)
    }
  }
  return figures
}

/** Keys with which libraries wrap a result. They say nothing themselves. */
const WRAPPERS = new Set(['value', 'type', 'text', 'output', 'result', 'content', 'data', 'json'])

function attachmentLabel(part: AttachmentPart): string {
  const isPlain = part.type === 'image' || part.type === 'file'
  const { kind, name: known } = isPlain ? { kind: part.type, name: '' } : attachmentName(part)
  for (const field of ['name', 'filename', 'fileName', 'caption', 'alt', 'path', 'url', 'id']) {
    const value = part[field]
    if (typeof value !== 'string' || value === '' || value.startsWith('data:')) continue
    const name = field === 'path' || field === 'url' ? (value.split(/[/\\]/).at(-1) ?? '') : value
    if (name !== '') return labelled(kind, name)
  }
  return known === '' ? `[${kind}]` : labelled(kind, known.split(/[/\\]/).at(-1) || known)
}

function labelled(kind: string, name: string): string {
  return `[${kind}: ${clip(oneLine(name.slice(0, 1_000)), 80)}]`
}
