import { InvalidArgumentError } from '../../errors.ts'
import { closeFence, scanLines } from './markdown-lines.ts'
import { normalizeMarkdown } from './normalize-markdown.ts'
import { parseSectionName } from './section-name.ts'

const LOWEST_LEVEL = 6

/**
 * Checks text from a caller. The result is normalised, and its code fences are closed. Text for a section may
 * have lower headings only. Text for a whole document may have any heading.
 */
export function checkBody(field: string, body: unknown, section?: string): string {
  if (typeof body !== 'string') throw new InvalidArgumentError(field, body, 'text')
  const text = normalizeMarkdown(body)
  if (section !== undefined) refuseHeadings(field, text, section)
  return closeFence(text)
}

function refuseHeadings(field: string, text: string, section: string): void {
  const { level } = parseSectionName(section)
  for (const line of scanLines(text)) {
    if (!line.heading || line.heading.level > level) continue
    const lower = level < LOWEST_LEVEL ? `headings of level ${level + 1} or lower` : 'no headings'
    throw new InvalidArgumentError(
      field,
      line.text.trim(),
      `text with ${lower} under ${'#'.repeat(level)}, since this line would begin another section; ` +
        `use ${level < LOWEST_LEVEL ? `"${'#'.repeat(level + 1)}"` : 'bold text'} instead, or replace the whole document`,
    )
  }
}
