import { createHash } from 'node:crypto'
import {
  type Content,
  type ContentPart,
  contentText,
  interruptionOf,
  isAttachment,
  type Role,
} from 'palimpsest/internals/log/index'
import { type InSteps, runAtOnce } from 'palimpsest/internals/slices'
import { canonicalJson } from 'palimpsest/internals/store/index'

export interface Said {
  readonly role: Role
  readonly content: Content
  /** Who said it, as clients name them. */
  readonly sender?: string | { readonly id: string; readonly name?: string } | null
}

/** What is compared of a message: all that stays the same on the way through somebody's client. */
export interface Print {
  readonly role: Role
  /** The same number for what says the same. */
  readonly name: number
  readonly sender: string | null
  /** Of a reply: its letters and digits alone, by which it is compared where it broke off. */
  readonly letters: string
  /** Of a reply: its words without tags of HTML, in small letters, with one space between two. */
  readonly words: string
  /** Of a reply: what is neither letter nor punctuation, such as emoji; its first ones. */
  readonly signs: string
  /** What is no text: calls, results, and how many attachments there are. */
  readonly marks: string
  readonly isBrokenOff: boolean
  /** On the way to an answer: a call or its result, which some clients do not keep. */
  readonly isOnTheWay: boolean
}

/** The name of what says nothing that a client would send back, such as a thought alone. */
export const NOTHING = 0

/** Gives each thing that is said a number, so that comparing takes no time. */
export class Prints {
  readonly #names = new Map<string, number>()

  of(message: Said): Print {
    return runAtOnce(this.inSteps(message))
  }

  /** The same, with pauses: a message may be as long as a book. */
  *inSteps(message: Said): InSteps<Print> {
    const { role, content, sender = null } = message
    const said = role === 'assistant' ? withoutThoughts(contentText(content)) : ''
    const written = yield* wordsOf(said)
    const letters = written.replaceAll(' ', '')
    const words = said.includes('<') ? yield* wordsOf(said.replace(TAGS, '')) : written
    const parts = typeof content === 'string' ? [] : content
    const marks: string[] = []
    for (const part of parts) marks.push(...(yield* marksOf(part)))
    marks.sort()
    return {
      role,
      name: yield* this.#nameOf(message, letters, marks),
      sender: typeof sender === 'string' ? sender : (sender?.name ?? sender?.id ?? null),
      letters,
      words,
      signs: said.slice(0, MAX_SIGNS_CHARACTERS).replace(/[\p{L}\p{M}\p{N}\p{P}\s]+/gu, ''),
      marks: JSON.stringify(marks),
      isBrokenOff: role === 'assistant' && interruptionOf(content) !== null,
      isOnTheWay: role === 'tool' || parts.some(({ type }) => type === 'tool-call'),
    }
  }

  *#nameOf({ role, content }: Said, letters: string, marks: readonly string[]): InSteps<number> {
    const text = letters || (yield* collapsed(contentText(content)))
    if (text === '' && marks.length === 0) return NOTHING
    const said = JSON.stringify([role, text, ...marks])
    const known = this.#names.get(said)
    if (known !== undefined) return known
    this.#names.set(said, this.#names.size + 1)
    return this.#names.size
  }
}

/** `ours` may have broken off, and the client may have kept less of it, or more. */
export function isSame(ours: Print, theirs: Print): boolean {
  if (ours.role !== theirs.role) return false
  if (ours.name === theirs.name)
    return (
      ours.name !== NOTHING &&
      (ours.sender === null || theirs.sender === null || ours.sender === theirs.sender)
    )
  return ours.isBrokenOff && isBeginning(ours.letters, theirs.letters)
}

function isBeginning(one: string, other: string): boolean {
  return one !== '' && other !== '' && (one.startsWith(other) || other.startsWith(one))
}

/** By its tool and its arguments: clients rename calls. */
export function callText({
  toolName,
  input,
}: {
  readonly toolName: string
  readonly input?: unknown
}): string {
  return `${toolName} ${canonicalJson(input == null || input === '' ? {} : input)}`
}

/** A digest of it: it is compared and nothing else, and a long text would be kept as long as the comparison goes on. */
function* collapsed(text: string): InSteps<string> {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  const digest = createHash('sha256')
  for (const piece of piecesOf(trimmed)) {
    digest.update(piece.normalize('NFC').replace(/\s+/g, ' '))
    if (trimmed.length > PIECE) yield
  }
  return digest.digest('base64')
}

/** In the tags that models and pages have for them. One that is not closed goes on to the end. */
const THOUGHTS =
  /<(think|thinking|thoughts?|reasoning|reflection)>.*?(?:<\/\1>|$)|<details type="reasoning"[^>]{0,200}>.*?(?:<\/details>|$)/gis

/** As pages render answers. */
const TAGS = /<\/?[a-z][a-z0-9]{0,19}(?:\s[^<>]{0,500})?\/?>/gi

/** Clients show thoughts apart. */
function withoutThoughts(text: string): string {
  return text.replace(THOUGHTS, '')
}

/** Clients take marks of bold and lists away: they are no difference. */
function* wordsOf(text: string): InSteps<string> {
  const words = yield* mapPieces(text, piece =>
    piece
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .toLowerCase(),
  )
  return words.trim()
}

function* mapPieces(text: string, toPiece: (piece: string) => string): InSteps<string> {
  let mapped = ''
  for (const piece of piecesOf(text)) {
    mapped += toPiece(piece)
    if (text.length > PIECE) yield
  }
  return mapped
}

function* piecesOf(text: string): Generator<string, void, void> {
  for (let from = 0; from < text.length; ) {
    const end = text.length - from <= PIECE ? text.length : endOfPiece(text, from + PIECE)
    yield text.slice(from, end)
    from = end
  }
}

const PIECE = 32_768
const MAX_SIGNS_CHARACTERS = 2_000
const MAX_LOOK_CHARACTERS = 1_000

/** Before a word, where one begins nearby; never inside of a character with its marks. */
function endOfPiece(text: string, place: number): number {
  const last = Math.min(text.length, place + MAX_LOOK_CHARACTERS)
  for (let end = place; end < last; end++) if (/\s/.test(text[end - 1]!) && /\S/.test(text[end]!)) return end
  let end = place
  while (end < last && /[\p{M}\uDC00-\uDFFF]/u.test(text[end]!)) end += 1
  return end
}

/** Addresses of the same picture change: how many there are is compared. */
function* marksOf(part: ContentPart): InSteps<string[]> {
  switch (part.type) {
    case 'tool-call':
      return [callText(part)]
    case 'tool-result':
      return [`result ${yield* collapsed(outputText(part.output))}`]
    default:
      return isAttachment(part) ? ['attached'] : []
  }
}

function outputText(output: unknown): string {
  if (typeof output === 'string') return output
  const { type, value } = (output ?? {}) as { readonly type?: unknown; readonly value?: unknown }
  return type === 'text' && typeof value === 'string' ? value : canonicalJson(output ?? null)
}
