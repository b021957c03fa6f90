import { extractsWithoutModel } from '../compaction/extracts.ts'
import type { FoldedRange } from '../compaction/index.ts'
import { mergePeople, type Person, WhoIsWho } from '../log/index.ts'
import { type DocumentKey, type DocumentWrite, dailyKey, type Fact, type NewFact } from '../store/index.ts'
import { dayInZone, formatDay } from '../summarizer/calendar-day.ts'
import { isWorthKeeping } from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import { applyCondensed, type Condensed, condenseLines } from './condense-document.ts'
import { daySpokenOf } from './day-spoken-of.ts'
import {
  ALL_HEADINGS,
  appendText,
  datedLine,
  findHeading,
  headings,
  listLines,
  withLines,
  withoutLines,
} from './document/index.ts'
import { documentLanguage } from './document-language.ts'
import type { MemoryEngine } from './engine.ts'
import { newChatMemory } from './initial-content.ts'
import { listedPeople, withoutMark, withPeopleListed, withSpeakerMarked } from './people-line.ts'

/** The caller's own summariser may return any number of lines. */
const MAX_LINES = 40

type Engine = Pick<MemoryEngine, 'store' | 'namespace' | 'zone' | 'language' | 'clock' | 'layerBudgets'>

/**
 * The lines that a fold adds to chat memory and the daily log: a dated line for each thing worth knowing
 * later. They are written in the fold's own transaction. If a document would exceed its budget, its oldest
 * lines are condensed first, so that the transaction itself waits for nothing.
 */
export async function rememberFold(engine: Engine, fold: FoldedRange): Promise<readonly DocumentWrite[]> {
  const { store } = engine
  const { key, session } = fold
  const zone = session.zone ?? engine.zone
  const chat: DocumentKey = { namespace: key.namespace, layer: 'chat', key: key.id }
  const existing = await store.documents.readDocument(chat)
  // A line stays for good. In a group, another person may later have the same name, so each name gets its id.
  const marksAll = session.kind === 'group'
  const who = new WhoIsWho(mergePeople(listed(existing?.content ?? '', fold), fold.people), { marksAll })
  const facts = await learned(fold, zone, who)
  const superseded = await supersededFacts(store, chat, fold)
  // A chat memory begins with the first thing to remember. From then on it lists the people.
  if (existing === null && facts.length === 0 && superseded.length === 0) return []
  const stale = new Set(superseded.map(({ line }) => line))
  const history = headings(documentLanguage(engine, session, fold.messages)).history
  // The daily log uses the time zone of the bot.
  const day = ({ saidAt }: Pick<Fact, 'saidAt'>) => formatDay(dayInZone(saidAt, engine.zone))
  const days = [...new Set([...facts, ...superseded].map(day))].sort()
  const people = spoken(fold, who)
  const growths: Growth[] = [
    {
      key: chat,
      initial: () => newChatMemory(engine, session),
      facts,
      stale,
      grow: content => withPeopleListed(withHistory(content, facts, history), people),
    },
    ...days.map(on => {
      const ofDay = facts.filter(fact => day(fact) === on)
      return {
        key: { ...chat, layer: 'daily' as const, key: dailyKey(on, key.id) },
        initial: async () => '',
        facts: ofDay,
        stale,
        grow: (content: string) => withEntries(content, ofDay),
      }
    }),
  ]
  const writes: DocumentWrite[] = []
  for (const growth of growths) writes.push(await toWrite(engine, fold, growth))
  return writes
}

/**
 * A private chat lists its person by the session's user id. If the messages bear another id, that entry is
 * left out here, so that the person does not count twice.
 */
function listed(content: string, { session, people }: FoldedRange): readonly Person[] {
  const isSender = people.some(({ id }) => id === session.user)
  return listedPeople(content).filter(({ id }) => isSender || id !== session.user)
}

/**
 * The people who speak in the range, with all that is known of them. In a private chat, the person gets the
 * session's user id.
 */
function spoken({ messages, session }: FoldedRange, who: WhoIsWho): readonly Person[] {
  const isPerson = ({ role, sender }: FoldedRange['messages'][number]) =>
    role === 'user' && sender?.isSelf !== true
  const ids = new Set(messages.filter(isPerson).flatMap(({ sender }) => sender?.id ?? []))
  const people = [...ids].flatMap(id => who.byId(id) ?? [])
  const [only] = people
  const isAlone = session.kind === 'private' && people.length === 1 && session.user !== null
  return isAlone ? [{ ...only!, id: session.user! }] : people
}

/** The change to one document. */
interface Growth {
  readonly key: DocumentKey
  /** The beginning of the document, if it does not exist yet. */
  readonly initial: () => Promise<string>
  readonly facts: readonly NewFact[]
  /** Lines that are removed. */
  readonly stale: ReadonlySet<string>
  readonly grow: (content: string) => string
}

async function toWrite(engine: Engine, fold: FoldedRange, growth: Growth): Promise<DocumentWrite> {
  const { store, zone, layerBudgets, clock } = engine
  const { key, stale } = growth
  const existing = await store.documents.readDocument(key)
  const initial = existing === null ? await growth.initial() : ''
  const known = await store.documents.readFacts(key, 'current')
  const grown = (content: string) => growth.grow(withoutLines(content || initial, stale))
  const condensed = await condenseLines(grown(existing?.content ?? ''), {
    budgetTokens: layerBudgets[key.layer],
    facts: known,
    added: growth.facts.map(({ line }) => line),
    // Condensing the chat's memory takes a further call. A daily log is not worth one, since a day is soon
    // over.
    summarizer: key.layer === 'chat' && fold.summarizer.name !== 'extractive' ? fold.summarizer : null,
    zone,
    signal: fold.signal,
  })
  return documentWrite(key, { fold, facts: growth.facts, stale, condensed, grown, now: clock() })
}

async function learned(fold: FoldedRange, zone: string, who: WhoIsWho): Promise<readonly NewFact[]> {
  const { messages, key, people, signal } = fold
  const extracts = fold.extracts ?? (await extractsWithoutModel(messages, { zone, signal, people }))
  // The origin is the whole fold. A rollback of any part of it removes the line.
  const origin = { sessionId: key.id, fromSeq: messages[0]?.seq ?? 0, toSeq: messages.at(-1)?.seq ?? 0 }
  const facts = new Map<string, NewFact>()
  for (const { text: told, on: saidOn, seq } of extracts) {
    const source = messages.find(message => message.seq === seq)
    const text = withSpeakerMarked(told, who.byId(source?.sender?.id ?? ''), who)
    const words = withoutMark(text)
    if (!source || !isWorthKeeping(words) || facts.size >= MAX_LINES) continue
    const line = datedLine(saidOn, text)
    const on = daySpokenOf(words, { at: source.at, zone: source.zone ?? zone })
    const subject = source.role === 'user' ? (source.sender?.id ?? null) : null
    facts.set(line, { line, subject, origin, saidAt: source.at, on, from: 'fold' })
  }
  return [...facts.values()]
}

async function supersededFacts(
  store: Engine['store'],
  chat: DocumentKey,
  { superseded, isStale }: FoldedRange,
): Promise<readonly Fact[]> {
  if (superseded.length === 0 && !isStale) return []
  const isWithin = (fact: Fact) =>
    isStale?.(fact) === true ||
    (fact.from === 'fold' &&
      superseded.some(({ fromSeq, toSeq }) => fromSeq <= fact.origin.fromSeq && fact.origin.toSeq <= toSeq))
  const current = await store.documents.readFacts(chat, 'current')
  // A line with further sources, such as a condensed one, stays.
  const stays = new Set(current.filter(fact => !isWithin(fact)).map(({ line }) => line))
  return current.filter(fact => isWithin(fact) && !stays.has(fact.line))
}

function withHistory(content: string, facts: readonly NewFact[], section: string): string {
  const heading = findHeading(content, ALL_HEADINGS.chat.history) ?? section
  return withLines(
    content,
    heading,
    facts.map(({ line }) => line),
  )
}

function withEntries(content: string, facts: readonly NewFact[]): string {
  const there = new Set(listLines(content))
  const missing = facts.filter(({ line }) => !there.has(line)).map(({ line }) => line)
  return missing.length === 0 ? content : appendText(content, missing.join('\n'))
}

function documentWrite(
  key: DocumentKey,
  write: {
    readonly fold: FoldedRange
    readonly facts: readonly NewFact[]
    readonly stale: ReadonlySet<string>
    readonly condensed: Condensed | null
    readonly grown: (content: string) => string
    readonly now: number
  },
): DocumentWrite {
  const { fold, facts, stale, condensed, grown, now } = write
  return {
    key,
    change: current => {
      const whole = grown(current?.content ?? '')
      const shorter = condensed && applyCondensed(whole, condensed)
      const content = shorter ?? whole
      if (content === (current?.content ?? '')) return null
      const lines = new Set(listLines(content))
      const told = shorter === null ? facts : [...facts, ...condensed!.facts]
      return {
        content,
        tokens: estimateTokens(content),
        facts: told.filter(({ line }) => lines.has(line)),
        superseded: [...stale, ...(shorter === null ? [] : condensed!.lines)],
      }
    },
    author: { kind: 'extraction', name: fold.summarizer.name },
    sources: facts.slice(0, 1).map(({ origin }) => origin),
    now,
  }
}
