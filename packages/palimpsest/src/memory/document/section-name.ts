import { InvalidArgumentError } from '../../errors.ts'
import { type Heading, headingOf } from './markdown-lines.ts'

const MAX_CHARACTERS = 200
const DEFAULT_LEVEL = 2

const RULE =
  `a heading's text on one line, such as "Preferences" for "## Preferences", or with its marks, such as ` +
  `"### Food": 1 to ${MAX_CHARACTERS} characters, not only marks, no control characters`

/** Control characters, line and paragraph separators. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Returns the name without white space at its ends. */
export function checkSectionName(section: unknown): string {
  const name = typeof section === 'string' ? section.trim() : ''
  const isAllowed =
    name !== '' &&
    name.length <= MAX_CHARACTERS &&
    !CONTROL.test(name) &&
    name.isWellFormed() &&
    !/^[#\s]*$/.test(name)
  if (isAllowed) return name
  throw new InvalidArgumentError('section', section, RULE)
}

/** `A` means `## A`. A name with marks means exactly that heading. */
export function parseSectionName(section: string): Heading {
  const name = section.trim()
  const marks = /^(#{1,6})[ \t]/.exec(name)?.[1]
  if (marks === undefined) return { level: DEFAULT_LEVEL, text: name }
  return { level: marks.length, text: name.slice(marks.length).trim() }
}

/**
 * A text may end with `#` marks. Then closing marks are added, so that a reader does not take the text's own
 * marks for closing ones.
 */
export function headingLine({ level, text }: Heading): string {
  const marks = '#'.repeat(level)
  const line = `${marks} ${text}`
  return headingOf(line)?.text === text ? line : `${line} ${marks}`
}
