import { type Language, textsOf } from '../language/index.ts'
import type { Segment } from '../log/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import { clipText } from './clip-text.ts'
import { inertUnderHeadings } from './inert.ts'
import { type Meaning, renderLegend } from './legends.ts'

/** A text that stays in the context word for word: a pinned message or a note. */
export interface Pinned {
  readonly id: number
  /** `null`: a note. */
  readonly seq: number | null
  /** The speaker's name, safe to stand in a heading; `null`: a note. */
  readonly speaker: string | null
  readonly text: string
}

/** The main points of messages that no fold has reached yet. They are for this context alone. */
export interface Interim {
  readonly fromSeq: number
  readonly toSeq: number
  readonly text: string
}

/**
 * A segment as far as a context needs it. `text` is what `renderSegment` gave when the segment was stored.
 */
export interface ContextSegment {
  readonly fromSeq: number
  readonly toSeq: number
  /** 1: made from messages. Above 1: made from segments, so it no longer tells all that they told. */
  readonly level: number
  readonly text: string
  readonly tokensAfter: number
  /** The people behind names that stand alone in the text and could be mistaken. Left out: there are none. */
  readonly legend?: readonly Meaning[]
}

/** A range of messages, both ends included. */
export interface SeqRange {
  readonly fromSeq: number
  readonly toSeq: number
}

/**
 * The messages that these segments tell at first hand, in as few ranges as possible: one fold may leave
 * several segments side by side. A condensed segment does not count.
 */
export function toldRanges(segments: readonly ContextSegment[]): readonly SeqRange[] {
  const ranges: SeqRange[] = []
  for (const { fromSeq, toSeq, level } of segments) {
    if (level !== 1) continue
    const last = ranges.at(-1)
    if (last?.toSeq === fromSeq - 1) ranges[ranges.length - 1] = { fromSeq: last.fromSeq, toSeq }
    else ranges.push({ fromSeq, toSeq })
  }
  return ranges
}

export function memoryOpening(language: Language): string {
  return `<session_memory>\n${textsOf(language).sessionMemory.opening}`
}
export const MEMORY_CLOSING = '</session_memory>'

/** Shares of the summary's size. They give a quarter of a segment to exact details, and less to dates. */
const DETAILS_OF_SUMMARY = 0.35
const EVENTS_OF_SUMMARY = 0.15

type Told = Pick<Segment, 'fromSeq' | 'toSeq' | 'summary' | 'events' | 'details'>

/**
 * A segment as the model reads it, made from the segment alone. The summary comes first. The dated events and
 * exact details that it leaves out follow, each within a share of the summary's size.
 *
 * If the result is more than `mostTokens`, the details go first, then the dates, and last the heading. The
 * summary itself always stays.
 */
export function renderSegment(segment: Told, mostTokens = Number.POSITIVE_INFINITY): string {
  const forms = [
    () => renderWhole(segment),
    () => renderWhole({ ...segment, details: [] }),
    () => renderWhole({ ...segment, details: [], events: [] }),
  ]
  for (const form of forms) {
    const text = form()
    if (mostTokens === Number.POSITIVE_INFINITY || estimateTokens(text) <= mostTokens) return text
  }
  return renderSummary(segment)
}

function renderSummary({ summary }: Told): string {
  return inertUnderHeadings(summary.trim())
}

function renderWhole(segment: Told): string {
  const { fromSeq, toSeq, summary } = segment
  const tokens = estimateTokens(summary)
  const texts = textsOf(STORED).sessionMemory
  const lines = [`## ${texts.segment(fromSeq, toSeq)}`, renderSummary(segment)]
  const events = takeWithin(
    segment.events.filter(event => !says(summary, event)).map(eventLine),
    Math.ceil(tokens * EVENTS_OF_SUMMARY),
    summary,
  )
  if (events.length > 0) lines.push(texts.dates, ...events.map(event => `- ${event}`))
  const details = takeWithin(segment.details.map(String), Math.ceil(tokens * DETAILS_OF_SUMMARY), summary)
  if (details.length > 0) lines.push(`${texts.details}${details.join(DETAIL_JOINT)}`)
  return lines.join('\n')
}

/** The summary tells the event in the same words; there the day stands before the line. */
function says(summary: string, event: unknown): boolean {
  const { text } = event as { text?: unknown }
  return typeof text === 'string' && summary.includes(text)
}

function eventLine(event: unknown): string {
  const { on, text } = event as { on?: unknown; text?: unknown }
  return typeof on === 'string' && typeof text === 'string' ? `${on} ${text}` : ''
}

/** The first entries that the summary does not have already, each on one line. */
function takeWithin(entries: readonly string[], tokens: number, summary: string): string[] {
  const taken: string[] = []
  let left = tokens
  for (const entry of entries) {
    const line = inertUnderHeadings(entry.replace(/\s+/g, ' ').trim())
    if (line === '' || summary.includes(line)) continue
    left -= estimateTokens(line) + 2
    if (left < 0) break
    taken.push(line)
  }
  return taken
}

/** All segments are stored in one language. A context shows them in the language of its epoch. */
const STORED = 'en'

/** The key is the segment as it was read: contexts of one epoch ask for the same segments again and again. */
const inLanguage = new WeakMap<ContextSegment, { readonly language: Language; readonly as: ContextSegment }>()

function segmentIn(segment: ContextSegment, language: Language): ContextSegment {
  const { legend = [] } = segment
  if (language === STORED && legend.length === 0) return segment
  const known = inLanguage.get(segment)
  if (known?.language === language) return known.as
  const said = language === STORED ? segment.text : segmentTextIn(segment, language)
  const text = legend.length === 0 ? said : `${said}\n${renderLegend(legend, language)}`
  const as = { ...segment, text, tokensAfter: estimateTokens(text) }
  inLanguage.set(segment, { language, as })
  return as
}

/**
 * Translates the heading, the labels under the summary, and speakers without a name, which stand there by
 * role.
 */
function segmentTextIn({ fromSeq, toSeq, text }: ContextSegment, language: Language): string {
  const [stored, shown] = [textsOf(STORED).sessionMemory, textsOf(language).sessionMemory]
  const lines = speakersIn(text, language).split('\n')
  if (lines[0] === `## ${stored.segment(fromSeq, toSeq)}`) lines[0] = `## ${shown.segment(fromSeq, toSeq)}`
  let last = lines.length - 1
  if (last > 0 && lines[last]!.startsWith(stored.details)) {
    const details = lines[last]!.slice(stored.details.length).split(DETAIL_JOINT)
    lines[last] = shown.details + details.map(detail => speakerIn(detail, language)).join(DETAIL_JOINT)
    last -= 1
  }
  while (last > 0 && lines[last]!.startsWith('- ')) last -= 1
  if (last > 0 && lines[last] === stored.dates) lines[last] = shown.dates
  return lines.join('\n')
}

/**
 * `- 2026-03-02 assistant: …`. Summaries are made from such lines; only a speaker without a name is shown by
 * role.
 */
const SPEAKER = /^(- (?:\d{4}-\d{2}-\d{2} )?)(user|assistant|system|tool)(?=: )/gm
const DETAIL_SPEAKER = /^(user|assistant|system|tool)(?=: )/
/** A summary names an attachment by its kind and name. */
const ATTACHMENT = /(: |^)\[(image|file|audio|video)(?=[:\]])/gm
const DETAIL_JOINT = ' · '

function speakersIn(text: string, language: Language): string {
  const { roles, messages } = textsOf(language)
  return text
    .replace(SPEAKER, (_, before: string, role: keyof typeof roles) => before + roles[role])
    .replace(
      ATTACHMENT,
      (_, before: string, kind: keyof typeof messages.attachments) =>
        `${before}[${messages.attachments[kind]}`,
    )
}

function speakerIn(detail: string, language: Language): string {
  const { roles } = textsOf(language)
  return detail.replace(DETAIL_SPEAKER, (role: string) => roles[role as keyof typeof roles])
}

/** What is shown of the session memory. The interim has room of its own beside it. */
export interface MemorySelection {
  readonly language: Language
  readonly pins: readonly Pinned[]
  /** The newest segments, shown whole, oldest first. */
  readonly segments: readonly ContextSegment[]
  /** The newest segment that does not fit: the first `tokens` of it are shown. */
  readonly part: { readonly segment: ContextSegment; readonly tokens: number } | null
  /** All segments that do not fit. */
  readonly omitted: readonly ContextSegment[]
  readonly omittedPins: number
  /** The most that the selection takes. */
  readonly tokens: number
}

/** Takes the pins first, since they stay as they are, and then the newest segments that fit. */
export function selectMemory(
  {
    pins,
    segments: stored,
    language,
  }: { pins: readonly Pinned[]; segments: readonly ContextSegment[]; language: Language },
  tokens: number,
): MemorySelection {
  let room = tokens - FRAME_TOKENS
  const segments = stored.map(segment => segmentIn(segment, language))
  const fits = (cost: number) => {
    const isRoom = cost <= room
    if (isRoom) room -= cost
    return isRoom
  }
  const shownPins = pins.filter(pin => fits(estimateTokens(renderPinned(pin, language)) + JOINT_TOKENS))
  let first = segments.length
  while (first > 0 && fits(segments[first - 1]!.tokensAfter + JOINT_TOKENS)) first -= 1
  const omitted = segments.slice(0, first)
  const part = first > 0 && room > MIN_PART_TOKENS ? { segment: segments[first - 1]!, tokens: room } : null
  const isEmpty = pins.length === 0 && segments.length === 0
  return {
    language,
    pins: shownPins,
    segments: segments.slice(first),
    part,
    omitted,
    omittedPins: pins.length - shownPins.length,
    tokens: isEmpty ? 0 : part ? tokens : tokens - room,
  }
}

/** A text and its tokens. */
interface Measured {
  readonly text: string
  readonly tokens: number
}

/** Everything about the earlier conversation in one text, the oldest first; `null`: there is nothing. */
export function renderSessionMemory(
  selection: MemorySelection,
  interim: Interim | null,
  { beginsInTurn = false } = {},
): Measured | null {
  const { language, pins, segments, part, omitted, omittedPins } = selection
  const { pinsLeftOut, segmentsLeftOut, beginsInTurn: goesOn } = textsOf(language).sessionMemory
  const opening = memoryOpening(language)
  const before = [
    ...pins.map(pin => renderPinned(pin, language)),
    ...(omittedPins > 0 ? [pinsLeftOut] : []),
    ...(omitted.length > 0 ? [segmentsLeftOut(omitted[0]!.fromSeq, omitted.at(-1)!.toSeq)] : []),
    // A part of a segment is better than nothing of it.
    ...(part ? [renderPart(part, language)] : []),
  ]
  const after = [...(interim ? [renderInterim(interim, language)] : []), ...(beginsInTurn ? [goesOn] : [])]
  if (before.length + segments.length + after.length === 0) return null
  const texts = [opening, ...before, ...segments.map(({ text }) => text), ...after, MEMORY_CLOSING]
  // Segments are most of the text and were measured when they were stored.
  const measured = [opening, ...before, ...after, MEMORY_CLOSING].map(estimateTokens)
  const tokens = [...measured, ...segments.map(({ tokensAfter }) => tokensAfter)]
  return {
    text: texts.join('\n\n'),
    tokens: tokens.reduce((sum, each) => sum + each + JOINT_TOKENS, 0),
  }
}

/** The opening, the closing and the lines about what is left out. */
const FRAME_TOKENS = 90
const JOINT_TOKENS = 1
const MIN_PART_TOKENS = 60

/** The heading stays. A cut makes new line beginnings, and none of them may look like a heading. */
function renderPart({ segment, tokens }: NonNullable<MemorySelection['part']>, language: Language): string {
  const [heading = '', ...lines] = segment.text.split('\n')
  const room = tokens - estimateTokens(heading) - JOINT_TOKENS
  const body = clipText(lines.join('\n'), room, () => textsOf(language).sessionMemory.leftOut)
  return `${heading}\n${inertUnderHeadings(body)}`
}

function renderPinned({ seq, speaker, text }: Pinned, language: Language): string {
  const { note, pinned } = textsOf(language).sessionMemory
  const heading = seq === null ? note : pinned(seq, speaker ?? '')
  return `## ${heading}\n${inertUnderHeadings(text)}`
}

function renderInterim({ fromSeq, toSeq, text }: Interim, language: Language): string {
  const { interim } = textsOf(language).sessionMemory
  return `## ${interim(fromSeq, toSeq)}\n${inertUnderHeadings(speakersIn(text, language))}`
}
