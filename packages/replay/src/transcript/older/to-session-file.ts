import { withText } from 'palimpsest/internals/compaction/folded-segment'
import { foldRange } from 'palimpsest/internals/compaction/handlers'
import { MemoKeeper } from 'palimpsest/internals/compaction/memo-keeper'
import { messageTokens } from 'palimpsest/internals/compaction/source'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import type { Message, WindowMessage } from 'palimpsest/internals/log/index'
import { normalizeWindowMessage } from 'palimpsest/internals/log/index'
import { segmentLimits, tokens } from 'palimpsest/internals/policy/index'
import type { SessionFile } from 'palimpsest/internals/store/index'
import { extractive, readableText, speakerIn, whoSpeaks } from 'palimpsest/internals/summarizer/index'
import { estimateTokens } from 'palimpsest/internals/tokens/index'
import { lineId } from '../check-messages.ts'
import type { Transcript } from '../transcript.ts'
import { NO_PAST, type Past, type PastDocument } from './past.ts'
import { type Cover, planCover } from './plan-cover.ts'

type FileSegment = SessionFile['segments'][number]

export interface ConvertedSession {
  /** The argument for `palimpsest.import()`. */
  readonly file: SessionFile
  /** Sentences for people: what was read differently from how the file has it. */
  readonly notes: readonly string[]
}

export interface SessionFileOptions {
  /** The time for a session in which nothing has a time. The default: now. */
  readonly now?: number
  readonly user?: string
  readonly scope?: string
  readonly kind?: SessionFile['kind']
  /** The time zone for the days in an extract. The default: UTC. */
  readonly zone?: string
  readonly signal?: AbortSignal
}

const OPTIONS = optionsOf<SessionFileOptions>({
  now: true,
  user: true,
  scope: true,
  kind: true,
  zone: true,
  signal: true,
})

/**
 * Makes a conversation a whole session, with what an older system kept beside it. The cursor stays. Summaries
 * become segments, and a range without one gets an extract. The memo and the documents come along. Messages
 * keep their order and their times.
 *
 * @example
 * ```ts
 * for (const transcript of await openTranscripts('sessions.json')) {
 *   const { file, notes } = await toSessionFile(transcript)
 *   await palimpsest.import(file)
 * }
 * ```
 */
export async function toSessionFile(
  transcript: Transcript,
  options: SessionFileOptions = {},
): Promise<ConvertedSession> {
  checkOptions('toSessionFile', options, OPTIONS)
  const { now = Date.now(), user, scope, kind, zone = 'UTC', signal } = options
  const past = transcript.past ?? NO_PAST
  const { messages, after } = await readMessages(transcript, now)
  const seqs: Seqs = { messages, after, zone, signal: signal ?? new AbortController().signal }
  const plan = planCover(past)
  const foldedAt = past.foldedAt ?? messages[after[past.folded]! - 1]?.at.getTime() ?? null
  const segments: FileSegment[] = []
  for (const segment of await coveringSegments(past, plan.covers, { ...seqs, foldedAt }))
    segments.push({ ...segment, id: segments.length + 1 })
  const documents = withHomeless(past.documents, plan.homeless)
  const file: SessionFile = {
    format: 'palimpsest-session',
    version: 1,
    id: transcript.id ?? '',
    kind: kind ?? past.kind ?? transcript.kind,
    user: user ?? null,
    scope: scope ?? null,
    createdAt: new Date(past.createdAt ?? messages[0]?.at ?? now).toISOString(),
    origin: null,
    settings: past.settings,
    zone: null,
    epoch: 0,
    beginnings: [],
    compactedThrough: segments.at(-1)?.toSeq ?? 0,
    counters: {
      decided: { messages: past.resizedAt ?? 0, replies: 0, at: segments.length > 0 ? foldedAt : null },
      lastFoldAt: segments.length > 0 ? foldedAt : null,
      overheadTokens: 0,
    },
    memo: past.memo && { value: past.memo.value, throughSeq: after[past.memo.through]! },
    memoVersions: [],
    messages: messages.map(message => ({
      seq: message.seq,
      role: message.role,
      sender: message.sender,
      content: message.content,
      at: message.at.toISOString(),
      appendedAt: new Date(now).toISOString(),
      zone: message.zone,
      externalId: message.externalId,
      replyTo: message.replyTo,
    })),
    segments,
    pins: [],
    documents: documents.map(({ day, content }) => ({
      day,
      tokens: estimateTokens(content),
      versions: [
        {
          content,
          author: { kind: 'person', name: 'import' },
          sources: [],
          at: new Date(now).toISOString(),
          undoes: null,
        },
      ],
      facts: [],
    })),
    extractedThrough: messages.length,
  }
  return { file, notes: [...past.notes, ...plan.notes, ...homelessNotes(plan.homeless.length)] }
}

interface Seqs {
  readonly messages: readonly Message[]
  /**
   * `after[n]`: the newest `seq` of the first n messages that were found. A message that repeats another gets
   * no `seq`.
   */
  readonly after: readonly number[]
  readonly zone: string
  readonly signal: AbortSignal
}

async function readMessages(transcript: Transcript, now: number): Promise<Pick<Seqs, 'messages' | 'after'>> {
  const messages: Message[] = []
  const after = [0]
  const known = new Set<string>()
  for await (const entry of transcript.read()) {
    const { message } = entry
    const externalId = message.externalId ?? lineId(entry)
    if (!known.has(externalId)) {
      known.add(externalId)
      const at = new Date(message.at ?? messages.at(-1)?.at ?? now)
      const seq = messages.length + 1
      messages.push({ ...message, id: '', seq, at, appendedAt: at, externalId, version: 1, archived: false })
    }
    after.push(messages.length)
  }
  return { messages, after }
}

type Covering = Seqs & { readonly foldedAt: number | null }

async function coveringSegments(
  past: Past,
  covers: readonly Cover[],
  seqs: Covering,
): Promise<readonly Omit<FileSegment, 'id'>[]> {
  const { after } = seqs
  if (past.window !== null && after[past.folded]! > 0)
    return [windowSegment(past.window, after[past.folded]!, seqs)]
  const segments: Omit<FileSegment, 'id'>[] = []
  for (const { from, to, text, at } of covers) {
    const [fromSeq, toSeq] = [after[from]! + 1, after[to]!]
    // All messages of the range repeat earlier ones.
    if (toSeq < fromSeq) continue
    if (text !== null) segments.push(segmentOf({ fromSeq, toSeq, summary: text, at }, seqs))
    else segments.push(...(await extracts(fromSeq, toSeq, seqs)))
  }
  return segments
}

interface Told {
  readonly fromSeq: number
  readonly toSeq: number
  readonly summary: string
  readonly at: number | null
}

/** The older system's words, unchanged. The import renders them in the form that the model reads. */
function segmentOf(
  { fromSeq, toSeq, summary, at }: Told,
  { messages, foldedAt }: Covering,
): Omit<FileSegment, 'id'> {
  const range = messages.slice(fromSeq - 1, toSeq)
  return {
    ...{ fromSeq, toSeq, messageCount: range.length, summary, events: [], details: [], text: '' },
    ...{ level: 1, state: 'live', rolledInto: null, type: 'lite', reason: 'import' },
    ...{ summarizer: 'imported', promptVersion: '1' },
    tokensBefore: range.reduce((sum, message) => sum + messageTokens(message), 0),
    tokensAfter: 0,
    createdAt: new Date(at ?? foldedAt ?? range.at(-1)!.at).toISOString(),
  }
}

function windowSegment(
  window: readonly WindowMessage[],
  toSeq: number,
  seqs: Covering,
): Omit<FileSegment, 'id'> {
  const checked = window.map((message, index) => normalizeWindowMessage(message, `window[${index}]`))
  const spoken = checked.map(({ sender = null, ...message }) => ({ ...message, sender }))
  const who = whoSpeaks(spoken)
  const summary = spoken
    .map(({ role, sender, content }) => ({
      name: speakerIn(who, { role, sender }),
      said: textOf(content),
    }))
    .filter(({ said }) => said !== '')
    .map(({ name, said }) => `- ${name}: ${said.split('\n').join('\n  ')}`)
    .join('\n')
  return {
    ...segmentOf({ fromSeq: 1, toSeq, summary, at: null }, seqs),
    summarizer: 'window',
    window: checked,
    windowThrough: Math.max(toSeq, seqs.messages.length),
  }
}

function textOf(content: WindowMessage['content']): string {
  return (typeof content === 'string' ? content : readableText(content)).trim()
}

/** Makes the extracts as a fold without a model does. A long range becomes several segments. */
async function extracts(
  fromSeq: number,
  toSeq: number,
  seqs: Covering,
): Promise<readonly Omit<FileSegment, 'id'>[]> {
  const { messages, foldedAt, zone, signal } = seqs
  const range = messages.slice(fromSeq - 1, toSeq)
  const warn = () => {}
  const summarizer = extractive()
  const { segments } = await foldRange({
    decision: { type: 'lite', reason: 'import', severity: 0, meta: {} },
    range: { fromSeq, toSeq, amount: { messages: 0, characters: 0, tokens: 0 }, throughTurn: 0 },
    messages: range,
    segments: [],
    people: [],
    memo: null,
    summarizer,
    // The next fold takes care of their total size.
    limits: { ...segmentLimits(tokens()), totalTokens: Number.POSITIVE_INFINITY },
    ...{
      zone,
      signal,
      warn,
      superseded: [],
      kind: 'private',
      isProvisional: false,
      whenSpent: 'fail',
      prefix: null,
      extracts: null,
    },
    keeper: new MemoKeeper({
      memo: { value: {}, throughSeq: Number.MAX_SAFE_INTEGER },
      rules: { instructions: [] },
      ...{ summarizer, zone, earlier: null, people: [], signal, warn },
    }),
  })
  return segments.map(withText).map(({ absorbs: _, ...segment }) => ({
    ...segment,
    rolledInto: null,
    createdAt: new Date(foldedAt ?? messages[segment.toSeq - 1]!.at).toISOString(),
  }))
}

/**
 * A summary of messages that are gone must not be lost. Its text goes into the history of the chat memory.
 */
function withHomeless(
  documents: readonly PastDocument[],
  homeless: readonly { readonly text: string }[],
): readonly PastDocument[] {
  if (homeless.length === 0) return documents
  const chat = documents.find(({ day }) => day === null)
  const lines = homeless.map(({ text }) => text.replace(/^#+ /gm, '').trim()).join('\n\n')
  const content = withHistory(chat?.content ?? null, lines)
  return [{ day: null, content, file: chat?.file ?? '' }, ...documents.filter(({ day }) => day !== null)]
}

const HISTORY = /^## (?:History|历史摘要)[ \t]*$/m

function withHistory(content: string | null, lines: string): string {
  const heading = content === null ? null : HISTORY.exec(content)
  if (content !== null && heading !== null) {
    const end = heading.index + heading[0].length
    return `${content.slice(0, end)}\n\n${lines}\n${content.slice(end)}`
  }
  const isChinese = /\p{Script=Han}/u.test(lines)
  const beginning = content?.trimEnd() ?? (isChinese ? '# 聊天记忆' : '# Chat memory')
  return `${beginning}\n\n## ${isChinese ? '历史摘要' : 'History'}\n\n${lines}\n`
}

function homelessNotes(count: number): readonly string[] {
  if (count === 0) return []
  return [
    count === 1
      ? 'a summary whose messages are not in the file stands in the chat memory'
      : `${count} summaries whose messages are not in the file stand in the chat memory`,
  ]
}
