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
  /** In which those of its messages were said that name none; `null`: not known. */
  readonly zone: string | null
  /** Of what the engine itself wrote in its newest context; left out: nothing has told it yet. */
  readonly language?: Language
  readonly epoch: number
  readonly compactedThrough: number
  readonly counters: FileCounters
  readonly memo: Memo | null
  /** Earlier versions of the memo, oldest first. */
  readonly memoVersions: readonly Memo[]
  /** After which messages contexts begin anew, oldest first, and how far the session was folded then. */
  readonly beginnings: readonly {
    readonly afterSeq: number
    readonly foldedThrough: number
    readonly at: string
  }[]
  readonly messages: readonly FileMessage[]
  readonly segments: readonly FileSegment[]
  readonly pins: readonly FilePin[]
  /** Its chat memory and daily log. */
  readonly documents: readonly FileDocument[]
  /** The newest message that user or scope memory was extracted from. */
  readonly extractedThrough: number
  /** Messages that segments tell of as they were before an edit, the one that was edited last being the last. */
  readonly corrected?: readonly number[]
}

/** With all versions, oldest first, the current one last; sources and facts are messages of the session itself. */
export interface FileDocument {
  /** `null`: the chat memory. */
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
    /** A rollback took it out: only earlier versions tell it. */
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
  /** It was erased: nothing but its place in the log is left, and its role and instants. */
  readonly erased?: true
  /** What is left of an erased message's external id: its SHA-256. */
  readonly externalDigest?: string
  /** What edits replaced, oldest first. */
  readonly versions?: readonly { readonly content: Content; readonly replacedAt: string }[]
}

type FilePin = Omit<Pin, 'createdAt'> & { readonly createdAt: string }

export type FileSegment = Omit<Segment, 'state' | 'createdAt'> & {
  /** What it was before it was rolled up, if it was. */
  readonly state: 'live' | 'provisional' | 'dirty'
  readonly createdAt: string
  /** What an erasure left of it until it is made anew; `outdated`: provisional, and a message under it was edited. */
  readonly withheld?: 'nothing' | 'extract' | 'outdated'
}

export class InvalidExportError extends PalimpsestError<{ field: string; value?: unknown; allowed: string }> {
  override readonly name = 'InvalidExportError'
  /** `value` only where it is a number: anything else may be what somebody said. */
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
 * What numbers of a file may be. Others come after each of them (a message has a seq one above the newest, a fold begins
 * an epoch, an erasure makes the next epoch begin above all that were), and sums are made of them: none may come near
 * the largest that a number can hold.
 */
const MAX_COUNT = 2 ** 31 - 1
/** Of all that a segment stands for, which may be a very long log. */
const MAX_SOURCE_TOKENS = 2 ** 40
/** Messages that a file may lack below one that it has, and segments: whoever searches makes room for them, too. */
const MAX_MISSING = 1_000_000

/** A session that has come further than a file may tell is told by the most that it may: what it says is the same. */
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
 * Reads an exported session from JSON. Fields that an older file lacks get their defaults; a wrong one is
 * named; a message without a time gets that of the one beside it; cursors that make no sense are taken as none, with a warning, and the messages are kept.
 */
export function parseSessionFile(
  json: unknown,
  now: number = Date.now(),
): { file: SessionFile; warnings: readonly string[] } {
  const warnings: string[] = []
  const file = object(json, 'the file')
  if (file['format'] !== undefined && file['format'] !== 'palimpsest-session')
    throw new InvalidExportError('format', '"palimpsest-session"')
  if (file['version'] !== undefined && file['version'] !== 1)
    throw new InvalidExportError('version', '1; a newer version of Palimpsest wrote this file')
  const given = optional(file['createdAt'], 'createdAt', instant, null)
  const messages = withTimes(list(file['messages'], 'messages').map(parseMessage), given ?? isoOf(now))
  checkOrder(messages)
  const lastSeq = messages.at(-1)?.seq ?? 0
  const createdAt = given ?? messages[0]?.at ?? isoOf(now)
  const folds = parseFolds(file, lastSeq, createdAt, warnings)
  const parsed: SessionFile = {
    format: 'palimpsest-session',
    version: 1,
    id: optional(file['id'], 'id', text, ''),
    kind: optional(file['kind'], 'kind', oneOf(['private', 'group', 'agent']), 'private') as SessionKind,
    user: optional(file['user'], 'user', id, null),
    scope: optional(file['scope'], 'scope', id, null),
    createdAt,
    origin: optional(file['origin'], 'origin', originParser(lastSeq), null),
    settings: optional(file['settings'], 'settings', object, {}),
    zone: optional(file['zone'], 'zone', zone, null),
    ...(isLanguage(file['language']) && { language: file['language'] }),
    epoch: optional(file['epoch'], 'epoch', count, 0),
    counters: optional(file['counters'], 'counters', parseCounters, EMPTY_COUNTERS),
    memo: optional(file['memo'], 'memo', memoParser(lastSeq, warnings), null),
    memoVersions: optional(file['memoVersions'], 'memoVersions', list, []).map((memo, index) =>
      memoParser(lastSeq, warnings)(memo, `memoVersions[${index}]`),
    ),
    beginnings: parseBeginnings(optional(file['beginnings'], 'beginnings', list, []), lastSeq),
    messages,
    pins: optional(file['pins'], 'pins', list, []).map((pin, index) => parsePin(pin, index, lastSeq)),
    documents: parseDocuments(optional(file['documents'], 'documents', list, []), lastSeq),
    // A file from before there was memory is not read for it: that would be all of history at once.
    extractedThrough: Math.min(
      lastSeq,
      optional(file['extractedThrough'], 'extractedThrough', count, lastSeq),
    ),
    ...folds,
  }
  const corrected = optional(file['corrected'], 'corrected', list, []).map((seq, index) =>
    positive(seq, `corrected[${index}]`),
  )
  if (corrected.length > 0) return { file: { ...parsed, corrected }, warnings }
  return { file: parsed, warnings }
}

/** Each level condenses the one below to a third: a hundred are more than any log can need. */
const MAX_LEVELS = 100

/** As it stands in the file. */
type UntimedMessage = Omit<FileMessage, 'at' | 'appendedAt'> & {
  readonly at: string | null
  readonly appendedAt: string | null
}

/** A message without a time was said right after the one before it, or right before the first that has one. */
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

function parseBeginnings(values: readonly unknown[], lastSeq: number): SessionFile['beginnings'] {
  let last = 0
  return values.map((value, index) => {
    const field = `beginnings[${index}]`
    const given = object(value, field)
    const afterSeq = positive(given['afterSeq'], `${field}.afterSeq`)
    if (afterSeq <= last || afterSeq > lastSeq)
      throw new InvalidExportError(`${field}.afterSeq`, `above ${last}, and at most ${lastSeq}`, afterSeq)
    last = afterSeq
    return {
      afterSeq,
      foldedThrough: Math.min(
        afterSeq,
        optional(given['foldedThrough'], `${field}.foldedThrough`, count, afterSeq),
      ),
      at: instant(given['at'], `${field}.at`),
    }
  })
}

function parseMessage(value: unknown, index: number): UntimedMessage {
  const field = `messages[${index}]`
  const message = object(value, field)
  if (message['erased'] === true) return parseErased(message, { field, index })
  const checked = checkMessage(message, field)
  const at = checked.at === null ? null : isoOf(checked.at)
  const versions = optional(message['versions'], `${field}.versions`, list, []).map((version, place) => {
    const { content, replacedAt } = object(version, `${field}.versions[${place}]`)
    return {
      content: checkMessage({ role: 'user', content }, `${field}.versions[${place}]`).content,
      replacedAt: instant(replacedAt, `${field}.versions[${place}].replacedAt`),
    }
  })
  return {
    seq: optional(message['seq'], `${field}.seq`, positive, index + 1),
    role: checked.role,
    sender: checked.sender,
    content: checked.content,
    at,
    appendedAt: optional<string | null>(message['appendedAt'], `${field}.appendedAt`, instant, null),
    zone: checked.zone,
    externalId: checked.externalId,
    replyTo: checked.replyTo,
    ...(message['hidden'] === true && { hidden: true as const }),
    ...(versions.length > 0 && { versions }),
  }
}

/** Whatever else such a record has is left out. */
function parseErased(
  message: Record<string, unknown>,
  { field, index }: { field: string; index: number },
): FileMessage {
  const at = instant(message['at'], `${field}.at`)
  const digest = optional<string | null>(message['externalDigest'], `${field}.externalDigest`, sha256, null)
  return {
    seq: optional(message['seq'], `${field}.seq`, positive, index + 1),
    role: oneOf(ROLES)(message['role'], `${field}.role`) as Role,
    sender: null,
    content: '',
    at,
    appendedAt: optional(message['appendedAt'], `${field}.appendedAt`, instant, at),
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

/** Segments and cursor stand or fall together: either the one ends where the other points, or neither is used. */
function parseFolds(
  file: Record<string, unknown>,
  lastSeq: number,
  createdAt: string,
  warnings: string[],
): Pick<SessionFile, 'segments' | 'compactedThrough'> {
  const given = optional(file['segments'], 'segments', list, [])
  const highest = given.length + MAX_MISSING
  const segments = given.map((value, index) =>
    parseSegment(value, `segments[${index}]`, { createdAt, lastSeq, highest }),
  )
  const through = segments.filter(isShown).reduce((last, segment) => Math.max(last, segment.toSeq), 0)
  const cursor = file['compactedThrough'] ?? through
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

/** Those shown follow each other, and each one that was rolled up names one that is there and was made after it. */
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

function parseSegment(
  value: unknown,
  field: string,
  { createdAt, lastSeq, highest }: { createdAt: string; lastSeq: number; highest: number },
): FileSegment {
  const segment = object(value, field)
  const read = <T>(name: string, parse: (value: unknown, field: string) => T, fallback: T): T =>
    optional(segment[name], `${field}.${name}`, parse, fallback)
  return {
    id: whole(1, highest)(segment['id'], `${field}.id`),
    fromSeq: positive(segment['fromSeq'], `${field}.fromSeq`),
    toSeq: positive(segment['toSeq'], `${field}.toSeq`),
    messageCount: read('messageCount', countThrough(lastSeq), 0),
    summary: text(segment['summary'], `${field}.summary`),
    events: read('events', list, []),
    details: read('details', list, []),
    level: read('level', level, 1),
    state: read('state', oneOf(['live', 'provisional', 'dirty']), 'live') as FileSegment['state'],
    rolledInto: read<number | null>('rolledInto', positive, null),
    type: read('type', text, 'lite'),
    reason: read('reason', text, 'import'),
    summarizer: read('summarizer', text, 'unknown'),
    promptVersion: read('promptVersion', text, ''),
    tokensBefore: read('tokensBefore', countThrough(MAX_SOURCE_TOKENS), 0),
    text: read('text', text, ''),
    tokensAfter: read('tokensAfter', count, 0),
    createdAt: read('createdAt', instant, createdAt),
    ...parseWindow(segment, { field, lastSeq }),
    ...parsePeople(segment['people'], `${field}.people`),
    ...(segment['withheld'] != null && {
      withheld: oneOf(['nothing', 'extract', 'outdated'])(
        segment['withheld'],
        `${field}.withheld`,
      ) as NonNullable<FileSegment['withheld']>,
    }),
  }
}

/** Left out: whoever wrote the file kept none. */
function parsePeople(value: unknown, field: string): Pick<FileSegment, 'people'> {
  if (value === undefined || value === null) return {}
  const people = normalizePeople(value, isId)
  if (people === null)
    throw new InvalidExportError(field, 'a list of { id, names: [{ name, since: YYYY-MM-DD }] }')
  return { people }
}

/** Where the file does not say how far it was read for a window, it is taken that all of it was. */
function parseWindow(
  segment: Record<string, unknown>,
  { field, lastSeq }: { field: string; lastSeq: number },
): Pick<FileSegment, 'window' | 'windowThrough'> {
  const given = optional(segment['window'], `${field}.window`, list, null)
  const window = given?.map((message, index) => parseWindowMessage(message, `${field}.window[${index}]`))
  const through = optional(
    segment['windowThrough'],
    `${field}.windowThrough`,
    countThrough(lastSeq),
    window ? lastSeq : null,
  )
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

function originParser(lastSeq: number) {
  return (value: unknown, field: string) => {
    const origin = object(value, field)
    return {
      sessionId: text(origin['sessionId'], `${field}.sessionId`),
      seq: countThrough(lastSeq)(origin['seq'], `${field}.seq`),
    }
  }
}

function parseCounters(value: unknown, field: string): FileCounters {
  const counters = object(value, field)
  const decided = optional(counters['decided'], `${field}.decided`, object, {})
  const read = (source: Record<string, unknown>, name: string, path: string) =>
    optional(source[name], `${field}.${path}`, count, 0)
  return {
    decided: {
      messages: read(decided, 'messages', 'decided.messages'),
      replies: read(decided, 'replies', 'decided.replies'),
      at: optional<number | null>(decided['at'], `${field}.decided.at`, milliseconds, null),
    },
    lastFoldAt: optional<number | null>(counters['lastFoldAt'], `${field}.lastFoldAt`, milliseconds, null),
    overheadTokens: read(counters, 'overheadTokens', 'overheadTokens'),
  }
}

function parseDocuments(values: readonly unknown[], lastSeq: number): readonly FileDocument[] {
  const documents = values.map((value, index) => parseDocument(value, `documents[${index}]`, lastSeq))
  const days = documents.map(({ day }) => day)
  if (new Set(days).size < days.length) throw new InvalidExportError('documents', 'one for each day')
  return documents
}

function parseDocument(value: unknown, field: string, lastSeq: number): FileDocument {
  const document = object(value, field)
  const versions = list(document['versions'], `${field}.versions`)
  if (versions.length === 0) throw new InvalidExportError(`${field}.versions`, 'at least one')
  return {
    day: optional(document['day'], `${field}.day`, calendarDay, null),
    tokens: optional(document['tokens'], `${field}.tokens`, count, 0),
    versions: versions.map((version, index) =>
      parseDocumentVersion(version, { field: `${field}.versions[${index}]`, lastSeq, earlier: index }),
    ),
    facts: optional(document['facts'], `${field}.facts`, list, []).map((fact, index) =>
      parseFact(fact, { field: `${field}.facts[${index}]`, lastSeq, versions: versions.length }),
    ),
  }
}

interface Place {
  readonly field: string
  readonly lastSeq: number
}

function parseDocumentVersion(
  value: unknown,
  { field, lastSeq, earlier }: Place & { readonly earlier: number },
): FileDocumentVersion {
  const version = object(value, field)
  const author = object(version['author'], `${field}.author`)
  return {
    content: text(version['content'], `${field}.content`),
    author: {
      kind: oneOf(AUTHOR_KINDS)(author['kind'], `${field}.author.kind`) as Author['kind'],
      name: optional(author['name'], `${field}.author.name`, text, null),
    },
    sources: optional(version['sources'], `${field}.sources`, list, []).map((source, index) =>
      parseSource(object(source, `${field}.sources[${index}]`), {
        field: `${field}.sources[${index}]`,
        lastSeq,
      }),
    ),
    at: instant(version['at'], `${field}.at`),
    undoes: optional(version['undoes'], `${field}.undoes`, oneOfEarlier(earlier), null),
  }
}

function oneOfEarlier(earlier: number): (value: unknown, field: string) => number {
  return (value, field) => {
    if (positive(value, field) <= earlier) return value as number
    throw new InvalidExportError(field, `an earlier version, at most ${earlier}`, value)
  }
}

const AUTHOR_KINDS: readonly string[] = ['person', 'tool', 'extraction', 'rollback']

function parseSource(source: Record<string, unknown>, { field, lastSeq }: Place) {
  const through = countThrough(lastSeq + 1)
  const fromSeq = through(source['fromSeq'], `${field}.fromSeq`)
  const toSeq = through(source['toSeq'], `${field}.toSeq`)
  if (fromSeq > toSeq)
    throw new InvalidExportError(`${field}.fromSeq`, `at most ${toSeq}, which is toSeq`, fromSeq)
  return { fromSeq, toSeq }
}

function parseFact(value: unknown, place: Place & { readonly versions: number }): FileFact {
  const { field } = place
  const fact = object(value, field)
  const version = positive(fact['version'], `${field}.version`)
  if (version > place.versions)
    throw new InvalidExportError(
      `${field}.version`,
      `one of the versions, at most ${place.versions}`,
      version,
    )
  return {
    line: text(fact['line'], `${field}.line`),
    subject: optional(fact['subject'], `${field}.subject`, id, null),
    ...parseSource(fact, place),
    saidAt: instant(fact['saidAt'], `${field}.saidAt`),
    on: optional(fact['on'], `${field}.on`, calendarDay, null),
    from: oneOf(['fold', 'extraction', 'tool'])(fact['from'], `${field}.from`) as Fact['from'],
    version,
    supersededAt: optional(fact['supersededAt'], `${field}.supersededAt`, instant, null),
    ...(fact['withdrawn'] === true && { withdrawn: true as const }),
  }
}

function calendarDay(value: unknown, field: string): string {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && parseInstant(value, 'UTC') !== null)
    return value
  throw new InvalidExportError(field, 'a day as YYYY-MM-DD', value)
}

function parsePin(value: unknown, index: number, lastSeq: number): FilePin {
  const field = `pins[${index}]`
  const pin = object(value, field)
  const seq = optional<number | null>(pin['seq'], `${field}.seq`, pinnedSeq(lastSeq), null)
  const note = optional(pin['note'], `${field}.note`, text, null)
  if ((seq === null) === (note === null))
    throw new InvalidExportError(field, 'the seq of a message, or a note')
  return {
    id: index + 1,
    seq,
    note,
    tokens: optional(pin['tokens'], `${field}.tokens`, count, 0),
    createdAt: instant(pin['createdAt'], `${field}.createdAt`),
  }
}

function pinnedSeq(lastSeq: number): (value: unknown, field: string) => number {
  return (value, field) => {
    if (countThrough(lastSeq)(value, field) > 0) return value as number
    throw new InvalidExportError(field, 'the seq of a message', value)
  }
}

function memoParser(lastSeq: number, warnings: string[]): (value: unknown, field: string) => Memo {
  return (value, field) => {
    const memo = object(value, field)
    const throughSeq = memo['throughSeq'] ?? 0
    const isSensible =
      typeof throughSeq === 'number' &&
      Number.isInteger(throughSeq) &&
      throughSeq >= 0 &&
      throughSeq <= lastSeq
    if (!isSensible)
      warnings.push(`${field}.throughSeq (${JSON.stringify(throughSeq)}) makes no sense and is taken as none`)
    return {
      value: object(memo['value'] ?? {}, `${field}.value`),
      throughSeq: isSensible ? throughSeq : 0,
    }
  }
}

function optional<T>(
  value: unknown,
  field: string,
  parse: (value: unknown, field: string) => T,
  fallback: T,
): T {
  return value === undefined || value === null ? fallback : parse(value, field)
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

function whole(least: number, most: number): (value: unknown, field: string) => number {
  return (value, field) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most)
      return value
    throw new InvalidExportError(field, `a whole number from ${least} to ${most}`, value)
  }
}

function countThrough(most: number): (value: unknown, field: string) => number {
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

function oneOf(allowed: readonly string[]): (value: unknown, field: string) => string {
  return (value, field) => {
    if (typeof value === 'string' && allowed.includes(value)) return value
    throw new InvalidExportError(field, `one of ${allowed.join(', ')}`)
  }
}
