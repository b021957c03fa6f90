import { LANGUAGES, type Language, type Texts, textsOf } from '../../language/index.ts'
import { inertLine } from './inert-line.ts'
import { parseSectionName } from './section-name.ts'
import { listSections } from './sections.ts'

type ChatKind = 'private' | 'group' | 'agent'

/**
 * Collects headings of all languages, since a document keeps the headings of the language in which it began.
 */
function inAll<Name extends string>(
  headingsIn: (documents: Texts['documents']) => Readonly<Record<Name, string>>,
  names: readonly Name[],
): Readonly<Record<Name, readonly string[]>> {
  const all = LANGUAGES.map(language => headingsIn(textsOf(language).documents))
  return Object.fromEntries(names.map(name => [name, all.map(headings => headings[name])])) as Record<
    Name,
    string[]
  >
}

/** Each section's heading in all languages, for `findHeading`. */
export const ALL_HEADINGS = {
  chat: inAll(({ chat }) => chat.headings, ['basics', 'about', 'history']),
  user: inAll(({ user }) => user.headings, ['profile', 'preferences']),
  scope: inAll(({ scope }) => scope.headings, ['history', 'plans', 'documents']),
} as const

export interface ChatBasics {
  readonly kind: ChatKind
  /** The name of the partner. `null`: it is not known. */
  readonly with: string | null
  /** The day as `YYYY-MM-DD`. */
  readonly firstContact: string
  readonly language: Language
}

export function chatTemplate({ kind, with: partner, firstContact, language }: ChatBasics): string {
  const { title, headings, labels, kinds } = textsOf(language).documents.chat
  const name = inertLine(partner ?? '')
  const basics = [
    `- ${labels.kind}: ${kinds[kind]}`,
    ...(name === '' ? [] : [`- ${labels.with}: ${name}`]),
    `- ${labels.firstContact}: ${firstContact}`,
  ]
  return documentOf(title, [[headings.basics, ...basics], [headings.about], [headings.history]])
}

export function userTemplate(language: Language): string {
  const { title, headings } = textsOf(language).documents.user
  return documentOf(title, [[headings.profile], [headings.preferences]])
}

export function scopeTemplate(language: Language): string {
  const { title, headings } = textsOf(language).documents.scope
  return documentOf(title, [[headings.history], [headings.plans], [headings.documents]])
}

/** Each section is given as its heading and the lines under it. */
function documentOf(title: string, sections: readonly (readonly string[])[]): string {
  const parts = sections.map(([heading, ...lines]) => [`## ${heading}`, ...lines].join('\n'))
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`
}

/** The headings of a chat memory. */
export function headings(language: Language): {
  readonly basics: string
  readonly about: string
  readonly history: string
} {
  return textsOf(language).documents.chat.headings
}

export function userSection(name: 'profile' | 'preferences', language: Language): string {
  return textsOf(language).documents.user.headings[name]
}

export function scopeSection(name: 'history' | 'plans' | 'documents', language: Language): string {
  return textsOf(language).documents.scope.headings[name]
}

/** The first of these names that is a section `## …` of the document. `null`: none of them is. */
export function findHeading(content: string, names: readonly string[]): string | null {
  const there = new Set(
    listSections(content)
      .filter(({ level }) => level === 2)
      .map(({ heading }) => heading),
  )
  return names.find(name => there.has(name)) ?? null
}

/**
 * The document's heading for a section name. For a known name such as History, this is the same section in
 * the document's language, so that no section appears twice. Any other name stays as it is.
 */
export function sectionIn(content: string, section: string): string {
  const { level, text } = parseSectionName(section)
  if (level !== 2) return section
  const isThere = (name: string) => findHeading(content, [name]) !== null
  if (isThere(text)) return section
  const known = [...Object.values(ALL_HEADINGS.chat), ...Object.values(ALL_HEADINGS.user)]
  const others = [...known, ...Object.values(ALL_HEADINGS.scope)].filter(names => names.includes(text))
  return others.flat().find(isThere) ?? section
}
