import { isUtf8 } from 'node:buffer'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseInstant } from 'palimpsest/internals/log/index'
import { idOf } from '../json-value.ts'
import type { FoundConversation, TranscriptProblem } from '../transcript.ts'
import { counted } from './convert-message.ts'
import { NO_PAST, type PastDocument } from './past.ts'

/** The Markdown documents that a bot kept beside the file of its chats. */
export interface BotDocuments {
  /** `SOUL.md`: who the bot is. */
  readonly persona: PastDocument | null
  /** `MEMORY.md`: what is true for everyone. */
  readonly global: PastDocument | null
}

interface Beside {
  readonly conversations: readonly FoundConversation[]
  readonly bot: BotDocuments
  readonly problems: readonly TranscriptProblem[]
}

/**
 * The session for daily logs that belong to no single chat. In any other session they would show one chat
 * what another chat said.
 */
const DAILY_LOG_ID = 'daily-log'

/**
 * Reads the folders `chat_memories` and `memory` beside a file of chats, and `SOUL.md` and `MEMORY.md`. A
 * chat memory goes to the chat that its file is named after. If that chat is not in the file, the memory
 * becomes a session without messages.
 */
export async function readBeside(path: string, conversations: readonly FoundConversation[]): Promise<Beside> {
  const folder = dirname(path)
  const problems: TranscriptProblem[] = []
  const read = (name: string) => readMarkdown(folder, name, problems)
  const given = new Map<string, PastDocument[]>()
  const notes = new Map<string, string[]>()
  const chats = new Chats(conversations.flatMap(({ id }) => (id === null ? [] : [id])))
  const give = (id: string, document: PastDocument) => given.set(id, [...(given.get(id) ?? []), document])
  for (const name of await markdownIn(join(folder, 'chat_memories'))) {
    const document = await read(`chat_memories/${name}`)
    if (document === null) continue
    const owner = chats.ownerOf(name.slice(0, -EXTENSION.length))
    const second = 'id' in owner && given.get(owner.id)?.[0]
    if ('problem' in owner) problems.push({ place: document.file, problem: owner.problem })
    else if (second)
      problems.push({
        place: document.file,
        problem: `is the chat memory of ${JSON.stringify(owner.id)}, and so is ${second.file}: keep one of the two`,
      })
    else give(owner.id, document)
  }
  // A chat with only its memory left counts as a chat, too: a daily log that names no chat may be about it.
  const all = new Set([...chats.ids, ...given.keys()])
  const known = new Chats([...all])
  const only = all.size === 1 ? [...all][0]! : null
  for (const name of await markdownIn(join(folder, 'memory'))) {
    const day = name.slice(0, -EXTENSION.length)
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || parseInstant(day, 'UTC') === null) continue
    const document = await read(`memory/${name}`)
    if (document === null) continue
    for (const [owner, content] of splitDay(document.content, day, { chats: known, only })) {
      give(owner, { ...document, day, content })
      if (owner === DAILY_LOG_ID)
        notes.set(owner, [
          'daily logs that name no chat of this bot: they are kept here, and no chat is shown what another said',
        ])
    }
  }
  const bot: BotDocuments = {
    persona: (await read('SOUL.md')) ?? (await read('memory/SOUL.md')),
    global: (await read('MEMORY.md')) ?? (await read('memory/MEMORY.md')),
  }
  return { conversations: withDocuments(conversations, given, notes), bot, problems }
}

function withDocuments(
  conversations: readonly FoundConversation[],
  given: ReadonlyMap<string, readonly PastDocument[]>,
  notes: ReadonlyMap<string, readonly string[]>,
): readonly FoundConversation[] {
  const known = new Set(conversations.map(({ id }) => id))
  const own = conversations.map(conversation => {
    const documents = given.get(conversation.id ?? '') ?? []
    return documents.length === 0
      ? conversation
      : { ...conversation, past: { ...(conversation.past ?? NO_PAST), documents } }
  })
  const others = [...given]
    .filter(([id]) => !known.has(id))
    .map(([id, documents]) => ({
      id,
      title: null,
      messages: [],
      past: {
        ...NO_PAST,
        documents,
        notes: notes.get(id) ?? [
          `${counted(documents.length, 'document')} of a chat that is not in the file`,
        ],
      },
    }))
  return [...own, ...others]
}

const EXTENSION = '.md'

/** Empty where the folder does not exist. */
async function markdownIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter(name => name.endsWith(EXTENSION)).sort()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** `null`: the file does not exist, is empty, or cannot be read. The last case is reported as a problem. */
async function readMarkdown(
  folder: string,
  name: string,
  problems: TranscriptProblem[],
): Promise<PastDocument | null> {
  let bytes: Buffer
  try {
    bytes = await readFile(join(folder, name))
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(code))
      problems.push({ place: name, problem: `cannot be read: ${message}` })
    return null
  }
  if (!isUtf8(bytes) || bytes.includes(0)) {
    problems.push({ place: name, problem: bytes.includes(0) ? 'holds NULs' : 'is not UTF-8 text' })
    return null
  }
  const text = bytes
    .toString()
    .replace(/^\ufeff+/, '')
    .replace(/\r\n?/g, '\n')
    .trimEnd()
  return text === '' ? null : { day: null, content: `${text}\n`, file: name }
}

/**
 * Finds the chat that a file is named after. Each older system makes an id safe for a file name in its own
 * way. So characters that are neither letters nor digits are not compared.
 */
class Chats {
  readonly ids: ReadonlySet<string>
  readonly #alike: ReadonlyMap<string, readonly string[]>

  constructor(ids: readonly string[]) {
    this.ids = new Set(ids)
    this.#alike = Map.groupBy(this.ids, comparable)
  }

  /** The chat with exactly this name; `null`: there is none. */
  named(name: string): string | null {
    return [name, decodedName(name)].find(id => this.ids.has(id)) ?? null
  }

  ownerOf(name: string): { readonly id: string } | { readonly problem: string } {
    const exact = this.named(name)
    if (exact !== null) return { id: exact }
    const decoded = decodedName(name)
    const alike = this.#alike.get(comparable(decoded)) ?? []
    if (alike.length === 1) return { id: alike[0]! }
    if (alike.length > 1)
      return {
        problem: `may belong to ${alike.map(id => JSON.stringify(id)).join(' or ')}: name the file exactly as the chat's id, with %xx for what a file name cannot hold`,
      }
    const id = idOf(decoded)
    return id === null ? { problem: 'is named after no chat' } : { id }
  }
}

/** Reads `telegram%3a42` as `telegram:42`. */
function decodedName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function comparable(id: string): string {
  return id.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_')
}

/** Matches `telegram:42`, but neither `10:30` nor a web address. */
const LIKE_AN_ID = /^\p{L}[\p{L}\p{N}_-]*:(?!\/\/)\S+$/u

/**
 * Splits a daily log by chat. The text under a heading with a chat's id belongs to that chat, up to the next
 * heading of the same level or above. That next heading, or one that looks like an id, belongs to an unknown
 * chat, unless it names a known one. The text before the first such heading belongs to the only chat, if
 * there is only one.
 */
function splitDay(
  content: string,
  day: string,
  { chats, only }: { readonly chats: Chats; readonly only: string | null },
): ReadonlyMap<string, string> {
  const bodies = new Map<string, string[]>()
  let owner = only ?? DAILY_LOG_ID
  let ownLevel = 0
  for (const line of content.split('\n')) {
    const [, marks = '', title = ''] = /^(#{1,6}) (.*)$/.exec(line) ?? []
    const heading = title.trim()
    if (heading !== '' && heading === day) continue
    const id = heading === '' ? null : chats.named(heading)
    if (id !== null) {
      owner = id
      ownLevel = marks.length
      continue
    }
    if (heading !== '' && (marks.length <= ownLevel || LIKE_AN_ID.test(heading))) owner = DAILY_LOG_ID
    const body = bodies.get(owner) ?? []
    bodies.set(owner, body)
    body.push(line)
  }
  return new Map(
    [...bodies]
      .map(([id, lines]) => [id, `${lines.join('\n').trim()}\n`] as const)
      .filter(([, text]) => text !== '\n'),
  )
}
