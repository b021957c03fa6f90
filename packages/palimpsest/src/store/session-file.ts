import { type InvalidMessageError, PalimpsestError } from '../errors.ts'
import { isLanguage, type Language } from '../language/index.ts'
import type { Content, Memo, Pin, Segment, Sender, SessionKind, WindowMessage } from '../log/index.ts'
import {
  checkId,
  isId,
  isZone,
  MAX_CONTENT_CHARACTERS,
  MESSAGE_INSTANT_RULE,
  normalizeMessage,
  normalizePeople,
  normalizeWindowMessage,
  parseInstant,
  parseMessageInstant,
  ROLES,
  type Role,
} from '../log/index.ts'
import type { FoldState } from '../policy/index.ts'
import type { Author, Fact, Source } from './document.ts'

/** A whole session as JSON: what `export` writes and `import` reads. */
export interface SessionFile {
  readonly format: 'palimpsest-session'
  readonly version: 1
  readonly id: string
  readonly kind: SessionKind
  readonly user: string | null
  readonly scope: string | null
  readonly createdAt: string
  readonly origin: { readonly sessionId: string; readonly seq: number } | null
  readonly settings: Readonly<Record<string, unknown>>
  /** The time zone of its messages that name none. `null`: not known. */
  readonly zone: string | null
  /**
   * The language in which the engine itself wrote its newest context. Left out: nothing has told the language
   * yet.
   */
  readonly language?: Language
  readonly epoch: number
  readonly compactedThrough: number
  readonly counters: FileCounters
  readonly memo: Memo | null
  /** Earlier versions of the memo, oldest first. */
  readonly memoVersions: readonly Memo[]
  /**
   * The messages after which contexts begin anew, oldest first, and how far the session was folded at that
   * time.
   */
  readonly beginnings: readonly {
    readonly afterSeq: number
    readonly foldedThrough: number
    readonly at: string
  }[]
  readonly messages: readonly FileMessage[]
  readonly segments: readonly FileSegment[]
  readonly pins: readonly FilePin[]
  /** The chat memory and the daily log of the session. */
  readonly documents: readonly FileDocument[]
  /** The newest message that user or scope memory was extracted from. */
  readonly extractedThrough: number
  /**
   * Messages that segments still tell in their form before an edit. The message that was edited last comes
   * last.
   */
  readonly corrected?: readonly number[]
}

/**
 * A document with all its versions, oldest first, the current one last. Sources and facts are messages of the
 * session itself.
 */
export interface FileDocument {
  /** `null`: the document is the chat memory. */
  readonly day: string | null
  readonly tokens: number
  readonly versions: readonly FileDocumentVersion[]
  readonly facts: readonly FileFact[]
}

interface FileDocumentVersion {
  readonly content: string
  readonly author: Author
  readonly sources: readonly Omit<Source, 'sessionId'>[]
  readonly at: string
  readonly undoes: number | null
}

type FileFact = Omit<Fact, 'origin' | 'saidAt' | 'supersededAt'> &
  Omit<Source, 'sessionId'> & {
    readonly saidAt: string
    readonly supersededAt: string | null
    /** A rollback removed it: only earlier versions tell it. */
    readonly withdrawn?: true
  }

type FileCounters = Pick<FoldState, 'decided' | 'lastFoldAt' | 'overheadTokens'>

export interface FileMessage {
  readonly seq: number
  readonly role: Role
  readonly sender: Sender | null
  readonly content: Content
  readonly at: string
  readonly appendedAt: string
  readonly zone: string | null
  readonly externalId: string | null
  readonly replyTo: number | string | null
  /** A rollback or an erasure hid it. */
  readonly hidden?: true
  /** It was erased: only its place in the log, its role and its instants are left. */
  readonly erased?: true
  /** What is left of an erased message's external id: its SHA-256. */
  readonly externalDigest?: string
  /** The contents that edits replaced, oldest first. */
  readonly versions?: readonly { readonly content: Content; readonly replacedAt: string }[]
}

type FilePin = Omit<Pin, 'createdAt'> & { readonly createdAt: string }

export type FileSegment = Omit<Segment, 'state' | 'createdAt'> & {
  /** The state of the segment; for a rolled-up one, the state before it was rolled up. */
  readonly state: 'live' | 'provisional' | 'dirty'
  readonly createdAt: string
  /**
   * What an erasure left of the segment until it is made anew. `outdated`: the segment is provisional, and a
   * message under it was edited.
   */
  readonly withheld?: 'nothing' | 'extract' | 'outdated'
}

export class InvalidExportError extends PalimpsestError<{ field: string; value?: unknown; allowed: string }> {
  override readonly name = 'InvalidExportError'
  /** `value` is given only if it is a number: anything else may be text that a person said. */
  constructor(field: string, allowed: string, value?: unknown) {
    const isNumber = typeof value === 'number'
    super(
      'invalid_export',
      `The exported session is wrong at ${field}${isNumber ? ` (${value})` : ''}: it must be ${allowed}. Nothing was imported.`,
      { field, ...(isNumber && { value }), allowed },
    )
  }
}

/**
 * The limit for numbers of a file. Further numbers are counted up from each of them: a message gets a seq one
 * above the newest, a fold begins an epoch, an erasure makes the next epoch begin above all earlier ones.
 * Sums are made of them too. So none may come near the largest number that can be held.
 */
const MAX_COUNT = 2 ** 31 - 1
/** The limit for all tokens that a segment stands for, which may be a very long log. */
const MAX_SOURCE_TOKENS = 2 ** 40
/**
 * How many messages, or segments, may be missing in a file below one that it has. A search makes room for the
 * missing ones too.
 */
const MAX_MISSING = 1_000_000

/**
 * Makes a session fit into a file. A number that has grown past a limit of the file becomes that limit. What
 * the session says stays the same.
 */
export function tellable(file: SessionFile): SessionFile {
  const { epoch, counters, segments } = file
  return {
    ...file,
    epoch: Math.min(epoch, MAX_COUNT),
    counters: { ...counters, overheadTokens: Math.min(counters.overheadTokens, MAX_COUNT) },
    segments: segments.map(segment => ({
      ...segment,
      tokensBefore: Math.min(segment.tokensBefore, MAX_SOURCE_TOKENS),
      tokensAfter: Math.min(segment.tokensAfter, MAX_COUNT),
    })),
  }
}

const EMPTY_COUNTERS: FileCounters = {
  decided: { messages: 0, replies: 0, at: null },
  lastFoldAt: null,
  overheadTokens: 0,
}

/**
 * Reads an exported session from JSON. Fields that an older file lacks get their defaults. An error names the
 * wrong field. A message without a time gets the time of the message beside it. Cursors that make no sense
 * count as none, with a warning, and the messages are kept.
 *
 * @example
 * const { file, warnings } = parseSessionFile(JSON.parse(text))
 */
export function parseSessionFile(
  json: unknown,
  now: number = Date.now(),
): { file: SessionFile; warnings: readonly string[] } {
  const warnings: string[] = []
  const file = new Fields(json, '')
  const { format = 'palimpsest-session', version = 1 } = file.values
  if (format !== 'palimpsest-session') throw new InvalidExportError('format', '"palimpsest-session"')
  if (version !== 1)
    throw new InvalidExportError('version', '1; a newer version of Palimpsest wrote this file')
  const given = file.take('createdAt', instant, null)
  const messages = withTimes(file.need('messages', each(parseMessage)), given ?? isoOf(now))
  checkOrder(messages)
  const lastSeq = messages.at(-1)?.seq ?? 0
  const createdAt = given ?? messages[0]?.at ?? isoOf(now)
  const folds = parseFolds(file, lastSeq, createdAt, warnings)
  const parsed: SessionFile = {
    format: 'palimpsest-session',
    version: 1,
    id: file.take('id', text, ''),
    kind: file.take('kind', oneOf(['private', 'group', 'agent']), 'private'),
    user: file.take('user', id, null),
    scope: file.take('scope', id, null),
    createdAt,
    origin: file.take('origin', originParser(lastSeq), null),
    settings: file.take('settings', object, {}),
    zone: file.take('zone', zone, null),
    ...(isLanguage(file.values['language']) && { language: file.values['language'] }),
    epoch: file.take('epoch', count, 0),
    counters: file.take('counters', parseCounters, EMPTY_COUNTERS),
    memo: file.take('memo', memoParser(lastSeq, warnings), null),
    memoVersions: file.take('memoVersions', each(memoParser(lastSeq, warnings)), []),
    beginnings: file.take('beginnings', beginningsParser(lastSeq), []),
    messages,
    pins: file.take('pins', each(pinParser(lastSeq)), []),
    documents: file.take('documents', documentsParser(lastSeq), []),
    // A file from before there was memory is not read for memory: that would read all of history at once.
    extractedThrough: Math.min(lastSeq, file.take('extractedThrough', count, lastSeq)),
    ...folds,
  }
  const corrected = file.take('corrected', each(positive), [])
  return { file: corrected.length > 0 ? { ...parsed, corrected } : parsed, warnings }
}

/** Each level condenses the level below to a third, so a hundred levels are more than any log can need. */
const MAX_LEVELS = 100

/** A message as it stands in the file. */
type UntimedMessage = Omit<FileMessage, 'at' | 'appendedAt'> & {
  readonly at: string | null
  readonly appendedAt: string | null
}

/**
 * A message without a time was said right after the message before it, or right before the first one that has
 * a time.
 */
function withTimes(messages: readonly UntimedMessage[], otherwise: string): readonly FileMessage[] {
  let last = messages.find(({ at }) => at !== null)?.at ?? otherwise
  return messages.map(message => {
    last = message.at ?? last
    return { ...message, at: last, appendedAt: message.appendedAt ?? last }
  })
}

function isoOf(instant: number): string {
  return new Date(instant).toISOString()
}

function beginningsParser(lastSeq: number): Parse<SessionFile['beginnings']> {
  let last = 0
  return each((value, field) => {
    const beginning = new Fields(value, field)
    const afterSeq = beginning.need('afterSeq', positive)
    if (afterSeq <= last || afterSeq > lastSeq)
      throw new InvalidExportError(`${field}.afterSeq`, `above ${last}, and at most ${lastSeq}`, afterSeq)
    last = afterSeq
    return {
      afterSeq,
      foldedThrough: Math.min(afterSeq, beginning.take('foldedThrough', count, afterSeq)),
      at: beginning.need('at', instant),
    }
  })
}

function parseMessage(value: unknown, field: string, index: number): UntimedMessage {
  const message = new Fields(value, field)
  if (message.values['erased'] === true) return parseErased(message, index)
  const checked = checkMessage(message.values, field)
  const at = checked.at === null ? null : isoOf(checked.at)
  const versions = message.take('versions', each(parseVersion), [])
  return {
    seq: message.take('seq', positive, index + 1),
    role: checked.role,
    sender: checked.sender,
    content: checked.content,
    at,
    appendedAt: message.take('appendedAt', instant, null),
    zone: checked.zone,
    externalId: checked.externalId,
    replyTo: checked.replyTo,
    ...(message.values['hidden'] === true && { hidden: true as const }),
    ...(versions.length > 0 && { versions }),
  }
}

function parseVersion(value: unknown, field: string): NonNullable<FileMessage['versions']>[number] {
  const version = new Fields(value, field)
  return {
    content: checkMessage({ role: 'user', content: version.values['content'] }, field).content,
    replacedAt: version.need('replacedAt', instant),
  }
}

/** Any other field of such a record is left out. */
function parseErased(message: Fields, index: number): FileMessage {
  const at = message.need('at', instant)
  const digest = message.take('externalDigest', sha256, null)
  return {
    seq: message.take('seq', positive, index + 1),
    role: message.need('role', oneOf(ROLES)),
    sender: null,
    content: '',
    at,
    appendedAt: message.take('appendedAt', instant, at),
    zone: null,
    externalId: null,
    replyTo: null,
    hidden: true,
    erased: true,
    ...(digest !== null && { externalDigest: digest }),
  }
}

function sha256(value: unknown, field: string): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value
  throw new InvalidExportError(field, 'a SHA-256 in hexadecimal')
}

function checkMessage(message: Record<string, unknown>, field: string) {
  try {
    return normalizeMessage(message as never, { zone: 'UTC' })
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error
    const { field: inner, allowed } = error.details as { field: string; allowed: string }
    throw new InvalidExportError(`${field}.${inner}`, allowed, message[inner])
  }
}

function checkOrder(messages: readonly FileMessage[]): void {
  const externalIds = new Set<string>()
  let last = 0
  for (const [index, { seq, externalId: own, externalDigest }] of messages.entries()) {
    const externalId = own ?? (externalDigest === undefined ? null : `\u0001${externalDigest}`)
    if (seq <= last)
      throw new InvalidExportError(`messages[${index}].seq`, `above the one before it (${last})`, seq)
    const highest = index + 1 + MAX_MISSING
    if (seq > highest)
      throw new InvalidExportError(
        `messages[${index}].seq`,
        `at most ${highest} for message ${index + 1} of the file; leave all seqs out to number them anew`,
        seq,
      )
    last = seq
    if (externalId === null) continue
    if (externalIds.has(externalId))
      throw new InvalidExportError(
        `messages[${index}].externalId`,
        'different from those of the other messages',
      )
    externalIds.add(externalId)
  }
}

/** Segments and cursor are used together or not at all: the segments must end where the cursor points. */
function parseFolds(
  file: Fields,
  lastSeq: number,
  createdAt: string,
  warnings: string[],
): Pick<SessionFile, 'segments' | 'compactedThrough'> {
  const highest = file.take('segments', list, []).length + MAX_MISSING
  const segments = file.take('segments', each(segmentParser({ createdAt, lastSeq, highest })), [])
  const through = segments.filter(isShown).reduce((last, segment) => Math.max(last, segment.toSeq), 0)
  const cursor = file.values['compactedThrough'] ?? through
  if (cursor === through && isChain(segments, lastSeq)) return { segments, compactedThrough: through }
  warnings.push(
    `compactedThrough (${JSON.stringify(cursor)}) does not fit the segments, which reach to ${through}, and the ` +
      `messages, which reach to ${lastSeq}: it is taken as none, without segments; the messages are kept`,
  )
  return { segments: [], compactedThrough: 0 }
}

function isShown(segment: FileSegment): boolean {
  return segment.rolledInto === null
}

/**
 * Whether the shown segments follow each other. Each segment that was rolled up must also name one that is in
 * the file and was made after it.
 */
function isChain(segments: readonly FileSegment[], lastSeq: number): boolean {
  const ids = new Set(segments.map(segment => segment.id))
  const shown = segments.filter(isShown).sort((a, b) => a.fromSeq - b.fromSeq)
  return (
    ids.size === segments.length &&
    segments.every(({ fromSeq, toSeq }) => fromSeq <= toSeq && toSeq <= lastSeq) &&
    segments.every(({ id, rolledInto }) => rolledInto === null || (rolledInto > id && ids.has(rolledInto))) &&
    shown.every((segment, index) => index === 0 || segment.fromSeq > shown[index - 1]!.toSeq)
  )
}

function segmentParser({
  createdAt,
  lastSeq,
  highest,
}: {
  readonly createdAt: string
  readonly lastSeq: number
  readonly highest: number
}): Parse<FileSegment> {
  return (value, field) => {
    const segment = new Fields(value, field)
    return {
      id: segment.need('id', whole(1, highest)),
      fromSeq: segment.need('fromSeq', positive),
      toSeq: segment.need('toSeq', positive),
      messageCount: segment.take('messageCount', countThrough(lastSeq), 0),
      summary: segment.need('summary', text),
      events: segment.take('events', list, []),
      details: segment.take('details', list, []),
      level: segment.take('level', level, 1),
      state: segment.take('state', oneOf(['live', 'provisional', 'dirty']), 'live'),
      rolledInto: segment.take('rolledInto', positive, null),
      type: segment.take('type', text, 'lite'),
      reason: segment.take('reason', text, 'import'),
      summarizer: segment.take('summarizer', text, 'unknown'),
      promptVersion: segment.take('promptVersion', text, ''),
      tokensBefore: segment.take('tokensBefore', countThrough(MAX_SOURCE_TOKENS), 0),
      text: segment.take('text', text, ''),
      tokensAfter: segment.take('tokensAfter', count, 0),
      createdAt: segment.take('createdAt', instant, createdAt),
      ...parseWindow(segment, lastSeq),
      ...segment.pick('people', parsePeople),
      ...segment.pick('withheld', oneOf(['nothing', 'extract', 'outdated'])),
    }
  }
}

function parsePeople(value: unknown, field: string): NonNullable<FileSegment['people']> {
  const people = normalizePeople(value, isId)
  if (people !== null) return people
  throw new InvalidExportError(field, 'a list of { id, names: [{ name, since: YYYY-MM-DD }] }')
}

/** If the file does not say how far the log was read for a window, all of it counts as read. */
function parseWindow(segment: Fields, lastSeq: number): Pick<FileSegment, 'window' | 'windowThrough'> {
  const window = segment.take('window', each(parseWindowMessage), null)
  const through = segment.take('windowThrough', countThrough(lastSeq), window && lastSeq)
  return { ...(window && { window }), ...(through !== null && { windowThrough: through }) }
}

function parseWindowMessage(value: unknown, field: string): WindowMessage {
  try {
    return normalizeWindowMessage(value, field)
  } catch (error) {
    if (!PalimpsestError.isInstance(error)) throw error
    const { field: inner, allowed } = error.details as { field: string; allowed: string }
    throw new InvalidExportError(inner, allowed)
  }
}

function originParser(lastSeq: number): Parse<NonNullable<SessionFile['origin']>> {
  return (value, field) => {
    const origin = new Fields(value, field)
    return { sessionId: origin.need('sessionId', text), seq: origin.need('seq', countThrough(lastSeq)) }
  }
}

function parseCounters(value: unknown, field: string): FileCounters {
  const counters = new Fields(value, field)
  const decided = new Fields(counters.take('decided', object, {}), `${field}.decided`)
  return {
    decided: {
      messages: decided.take('messages', count, 0),
      replies: decided.take('replies', count, 0),
      at: decided.take('at', milliseconds, null),
    },
    lastFoldAt: counters.take('lastFoldAt', milliseconds, null),
    overheadTokens: counters.take('overheadTokens', count, 0),
  }
}

function documentsParser(lastSeq: number): Parse<readonly FileDocument[]> {
  return (value, field) => {
    const documents = each(documentParser(lastSeq))(value, field)
    const days = documents.map(({ day }) => day)
    if (new Set(days).size < days.length) throw new InvalidExportError('documents', 'one for each day')
    return documents
  }
}

function documentParser(lastSeq: number): Parse<FileDocument> {
  return (value, field) => {
    const document = new Fields(value, field)
    const { length } = document.need('versions', list)
    if (length === 0) throw new InvalidExportError(`${field}.versions`, 'at least one')
    return {
      day: document.take('day', calendarDay, null),
      tokens: document.take('tokens', count, 0),
      versions: document.need('versions', each(documentVersionParser(lastSeq))),
      facts: document.take('facts', each(factParser(lastSeq, length)), []),
    }
  }
}

function documentVersionParser(lastSeq: number): Parse<FileDocumentVersion> {
  return (value, field, index) => {
    const version = new Fields(value, field)
    const author = new Fields(version.values['author'], `${field}.author`)
    return {
      content: version.need('content', text),
      author: {
        kind: author.need('kind', oneOf(['person', 'tool', 'extraction', 'rollback'])),
        name: author.take('name', text, null),
      },
      sources: version.take('sources', each(sourceParser(lastSeq)), []),
      at: version.need('at', instant),
      undoes: version.take('undoes', oneOfEarlier(index), null),
    }
  }
}

function oneOfEarlier(earlier: number): Parse<number> {
  return (value, field) => {
    if (positive(value, field) <= earlier) return value as number
    throw new InvalidExportError(field, `an earlier version, at most ${earlier}`, value)
  }
}

function sourceParser(lastSeq: number) {
  const through = countThrough(lastSeq + 1)
  return (value: unknown, field: string) => {
    const source = new Fields(value, field)
    const fromSeq = source.need('fromSeq', through)
    const toSeq = source.need('toSeq', through)
    if (fromSeq > toSeq)
      throw new InvalidExportError(`${field}.fromSeq`, `at most ${toSeq}, which is toSeq`, fromSeq)
    return { fromSeq, toSeq }
  }
}

function factParser(lastSeq: number, versions: number): Parse<FileFact> {
  return (value, field) => {
    const fact = new Fields(value, field)
    const version = fact.need('version', positive)
    if (version > versions)
      throw new InvalidExportError(`${field}.version`, `one of the versions, at most ${versions}`, version)
    return {
      line: fact.need('line', text),
      subject: fact.take('subject', id, null),
      ...sourceParser(lastSeq)(value, field),
      saidAt: fact.need('saidAt', instant),
      on: fact.take('on', calendarDay, null),
      from: fact.need('from', oneOf(['fold', 'extraction', 'tool'])),
      version,
      supersededAt: fact.take('supersededAt', instant, null),
      ...(fact.values['withdrawn'] === true && { withdrawn: true as const }),
    }
  }
}

function calendarDay(value: unknown, field: string): string {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && parseInstant(value, 'UTC') !== null)
    return value
  throw new InvalidExportError(field, 'a day as YYYY-MM-DD', value)
}

function pinParser(lastSeq: number): Parse<FilePin> {
  return (value, field, index) => {
    const pin = new Fields(value, field)
    const seq = pin.take('seq', pinnedSeq(lastSeq), null)
    const note = pin.take('note', text, null)
    if ((seq === null) === (note === null))
      throw new InvalidExportError(field, 'the seq of a message, or a note')
    return {
      id: index + 1,
      seq,
      note,
      tokens: pin.take('tokens', count, 0),
      createdAt: pin.need('createdAt', instant),
    }
  }
}

function pinnedSeq(lastSeq: number): Parse<number> {
  return (value, field) => {
    if (countThrough(lastSeq)(value, field) > 0) return value as number
    throw new InvalidExportError(field, 'the seq of a message', value)
  }
}

function memoParser(lastSeq: number, warnings: string[]): Parse<Memo> {
  return (value, field) => {
    const memo = new Fields(value, field)
    const { throughSeq } = memo.values
    const given = throughSeq ?? 0
    const isSensible = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= lastSeq
    if (!isSensible)
      warnings.push(`${field}.throughSeq (${JSON.stringify(given)}) makes no sense and is taken as none`)
    return { value: memo.take('value', object, {}), throughSeq: isSensible ? given : 0 }
  }
}

/**
 * Turns the value of a field into the wanted one, or throws. In a list, `index` is the place of the value.
 */
type Parse<T> = (value: unknown, field: string, index: number) => T

/** The fields of an object in the file, by name. A field that is `null` counts as missing. */
class Fields {
  readonly values: Readonly<Record<string, unknown>>
  readonly #prefix: string

  /** @param field The place of the object. Empty: it is the whole file. */
  constructor(value: unknown, field: string) {
    this.values = object(value, field || 'the file')
    this.#prefix = field === '' ? '' : `${field}.`
  }

  need<T>(name: string, parse: Parse<T>): T {
    return parse(this.values[name], this.#prefix + name, 0)
  }

  take<T, Otherwise>(name: string, parse: Parse<T>, otherwise: Otherwise): T | Otherwise {
    return this.values[name] == null ? otherwise : this.need(name, parse)
  }

  /** For a field that is left out of the result if the file has none. */
  pick<Name extends string, T>(name: Name, parse: Parse<T>): { readonly [Key in Name]?: T } {
    if (this.values[name] == null) return {}
    return { [name]: this.need(name, parse) } as { readonly [Key in Name]: T }
  }
}

function each<T>(parse: Parse<T>) {
  return (value: unknown, field: string): readonly T[] =>
    list(value, field).map((item, index) => parse(item, `${field}[${index}]`, index))
}

function object(value: unknown, field: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new InvalidExportError(field, 'an object')
}

function list(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new InvalidExportError(field, 'a list')
}

function text(value: unknown, field: string): string {
  if (typeof value === 'string' && value.length <= MAX_CONTENT_CHARACTERS) return value
  throw new InvalidExportError(field, 'text')
}

function id(value: unknown, field: string): string {
  try {
    return checkId(field, value)
  } catch (error) {
    throw new InvalidExportError(field, (error as InvalidMessageError).details.allowed)
  }
}

function zone(value: unknown, field: string): string {
  if (typeof value === 'string' && isZone(value)) return value
  throw new InvalidExportError(field, 'an IANA time zone such as "Asia/Shanghai"', value)
}

function whole(least: number, most: number) {
  return (value: unknown, field: string): number => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most)
      return value
    throw new InvalidExportError(field, `a whole number from ${least} to ${most}`, value)
  }
}

function countThrough(most: number) {
  return whole(0, most)
}

const count = whole(0, MAX_COUNT)
const positive = whole(1, MAX_COUNT)
const level = whole(1, MAX_LEVELS)

function instant(value: unknown, field: string): string {
  const parsed = parseMessageInstant(value, 'UTC')
  if (parsed !== null) return new Date(parsed).toISOString()
  throw new InvalidExportError(field, MESSAGE_INSTANT_RULE, value)
}

function milliseconds(value: unknown, field: string): number {
  if (typeof value === 'number' && value >= 0 && parseMessageInstant(value, 'UTC') === value) return value
  throw new InvalidExportError(field, 'milliseconds since 1970, through the year 9999', value)
}

function oneOf<const Choice extends string>(allowed: readonly Choice[]): Parse<Choice> {
  return (value, field) => {
    if (allowed.includes(value as Choice)) return value as Choice
    throw new InvalidExportError(field, `one of ${allowed.join(', ')}`)
  }
}
