import type { MessageEntity } from 'grammy/types'
import { parseMarkdown, type Style, type StyleKind } from '../../markdown/index.ts'

/** A message as Telegram receives it. The text needs no escaping, since the formatting stands beside it. */
export interface FormattedText {
  readonly text: string
  readonly entities: readonly MessageEntity[]
}

/** Telegram ignores entities beyond this number. */
const MAX_ENTITIES = 100

/**
 * Turns Markdown into Telegram's formatting. The text is never longer than its source, so a source that fits
 * still fits.
 */
export function formattedText(markdown: string): FormattedText {
  const { text, styles } = parseMarkdown(markdown)
  const from = text.length - text.trimStart().length
  const shown = text.trim()
  const within = apart(styles).flatMap(style => {
    const moved = {
      ...style,
      from: Math.max(0, style.from - from),
      to: Math.min(shown.length, style.to - from),
    }
    return tightened(shown, moved)
  })
  return { text: shown, entities: within.slice(0, MAX_ENTITIES).map(toEntity) }
}

/**
 * Removes nestings that Telegram refuses: code stands alone, outside bold text and links, and no style stands
 * in another of its own kind.
 */
function apart(styles: readonly Style[]): readonly Style[] {
  const outer = styles.filter(
    style => !styles.some(each => each !== style && each.kind === style.kind && isWithin(style, each)),
  )
  const links = outer.filter(({ kind }) => kind === 'link')
  const codes = outer.filter(style => isCode(style) && !links.some(link => isWithin(style, link)))
  const ranges = outer.flatMap(style => {
    if (isCode(style)) return codes.includes(style) ? [style] : []
    if (style.kind === 'quote' || style.kind === 'link') return [style]
    return without(
      style,
      codes.filter(code => isWithin(code, style)),
    )
  })
  return ranges.toSorted((one, other) => one.from - other.from || other.to - one.to)
}

function isWithin(inner: Style, outer: Style): boolean {
  return outer.from <= inner.from && inner.to <= outer.to
}

function isCode({ kind }: Style): boolean {
  return kind === 'code' || kind === 'pre'
}

function without(style: Style, codes: readonly Style[]): readonly Style[] {
  const left: Style[] = []
  let from = style.from
  for (const code of codes) {
    left.push({ ...style, from, to: code.from })
    from = code.to
  }
  return [...left, { ...style, from }]
}

/** White space at the ends has no visible style, and Telegram removes it. */
function tightened(text: string, style: Style): readonly Style[] {
  const inner = text.slice(style.from, style.to)
  const from = style.from + inner.length - inner.trimStart().length
  const to = style.from + inner.trimEnd().length
  return to > from ? [{ ...style, from, to }] : []
}

const TYPES = {
  bold: 'bold',
  italic: 'italic',
  strike: 'strikethrough',
  code: 'code',
  pre: 'pre',
  link: 'text_link',
  quote: 'blockquote',
} as const satisfies Readonly<Record<StyleKind, MessageEntity['type']>>

function toEntity({ kind, from, to, url, language }: Style): MessageEntity {
  return {
    type: TYPES[kind],
    offset: from,
    length: to - from,
    ...(url !== undefined && { url }),
    ...(language !== undefined && { language }),
  } as MessageEntity
}
