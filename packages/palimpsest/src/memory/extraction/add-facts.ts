import type { Language } from '../../language/index.ts'
import type { Message } from '../../log/index.ts'
import type { DocumentKey, DocumentWrite, NewFact } from '../../store/index.ts'
import { dayInZone, formatDay } from '../../summarizer/calendar-day.ts'
import type { FactSection } from '../../summarizer/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import {
  ALL_HEADINGS,
  datedLine,
  findHeading,
  listLines,
  sayingOf,
  scopeSection,
  scopeTemplate,
  userSection,
  userTemplate,
  withLines,
  withoutLines,
} from '../document/index.ts'

/** The memory document that an extraction writes. */
export interface FactTarget {
  readonly layer: 'user' | 'scope'
  /** The person that the document is about. `null`: no single person. */
  readonly subject: string | null
  /** The only person whose words count. `null`: the words of all speakers count. */
  readonly speaker: string | null
  readonly key: DocumentKey
}

export interface LearnedFact {
  readonly text: string
  readonly section: FactSection
  readonly seq: number
  readonly firstSeq?: number
  readonly on: string | null
  /** The lines that this fact replaces. */
  readonly replaces: readonly string[]
}

/**
 * Adds facts to a document. Each is a line in its section, with the day on which it was said. Lines that it
 * contradicts are removed from the document. Its versions keep them.
 */
export function addFacts(
  target: FactTarget,
  learned: {
    readonly facts: readonly LearnedFact[]
    readonly messages: readonly Message[]
    readonly sessionId: string
    readonly author: string
    readonly zone: string
    /** The language of a new document. */
    readonly language: Language
    readonly now: number
  },
): DocumentWrite {
  const { messages, sessionId, author, zone, language, now } = learned
  const facts = learned.facts.flatMap(fact => {
    const source = messages.find(({ seq }) => seq === fact.seq)
    return source ? [{ ...fact, fact: toFact(fact, source, { target, sessionId, zone }) }] : []
  })
  return {
    key: target.key,
    change: current => {
      let content = current?.content || templateOf(target.layer, language)
      const superseded: string[] = []
      const added: NewFact[] = []
      for (const { section, replaces, fact } of facts) {
        const there = listLines(content)
        if (there.some(line => sayingOf(line) === sayingOf(fact.line))) continue
        const gone = replaces.filter(line => there.includes(line))
        superseded.push(...gone)
        content = withLines(withoutLines(content, gone), headingFor(content, section, language), [fact.line])
        added.push(fact)
      }
      if (added.length === 0) return null
      return { content, tokens: estimateTokens(content), facts: added, superseded }
    },
    author: { kind: 'extraction', name: author },
    sources: facts.map(({ fact }) => fact.origin),
    now,
  }
}

function toFact(
  { text, on, firstSeq }: LearnedFact,
  { at, zone: own, seq }: Message,
  { target, sessionId, zone }: { target: FactTarget; sessionId: string; zone: string },
): NewFact {
  return {
    line: datedLine(formatDay(dayInZone(at, own ?? zone)), text),
    subject: target.subject,
    origin: { sessionId, fromSeq: Math.min(firstSeq ?? seq, seq), toSeq: seq },
    saidAt: at,
    on,
    from: 'extraction',
  }
}

function templateOf(layer: FactTarget['layer'], language: Language): string {
  return layer === 'user' ? userTemplate(language) : scopeTemplate(language)
}

/** The heading in the language in which the document began. */
function headingFor(content: string, section: FactSection, language: Language): string {
  if (section === 'profile' || section === 'preferences')
    return findHeading(content, ALL_HEADINGS.user[section]) ?? userSection(section, language)
  return findHeading(content, ALL_HEADINGS.scope[section]) ?? scopeSection(section, language)
}
