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
  /** The sender, by the name that clients use. */
  readonly sender?: string | { readonly id: string; readonly name?: string } | null
}

/** The parts of a message that are compared: those that survive the way through a client. */
export interface Print {
  readonly role: Role
  /** Messages that say the same have the same number. */
  readonly name: number
  readonly sender: string | null
  /** Of a reply: only its letters and digits. A reply that broke off is compared by them. */
  readonly letters: string
  /** Of a reply: its words in lower case, without HTML tags, with one space between two words. */
  readonly words: string
  /**
   * Of a reply: the first characters that are neither letters, digits, punctuation nor spaces, such as emoji.
   */
  readonly signs: string
  /** The parts that are not text: calls, results, and the number of attachments. */
  readonly marks: string
  readonly isBrokenOff: boolean
  /** A tool call or a tool result. Some clients do not keep them. */
  readonly isOnTheWay: boolean
}

/** The `name` of a message without any content that a client would send back, for example only a thought. */
export const NOTHING = 0

/** Gives each different message a number, so that a comparison is one comparison of numbers. */
export class Prints {
  readonly #names = new Map<string, number>()

  of(message: Said): Print {
    return runAtOnce(this.inSteps(message))
  }

  /** Like `of`, with pauses: a message may be as long as a book. */
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

/** Whether two messages say the same. If `ours` broke off, the client may have kept less of it or more. */
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

/** A call by its tool and arguments, since clients change the ids of calls. */
export function callText({
  toolName,
  input,
}: {
  readonly toolName: string
  readonly input?: unknown
}): string {
  return `${toolName} ${canonicalJson(input == null || input === '' ? {} : input)}`
}

/**
 * A digest of the text. The text is only compared, and a long text would be held
 * in memory for the whole comparison.
 */
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

/**
 * Thoughts, in the tags that models and web pages use. A tag that is not closed runs to the end of the text.
 */
const THOUGHTS =
  /<(think|thinking|thoughts?|reasoning|reflection)>.*?(?:<\/\1>|$)|<details type="reasoning"[^>]{0,200}>.*?(?:<\/details>|$)/gis

/** HTML tags, as web pages render answers. */
const TAGS = /<\/?[a-z][a-z0-9]{0,19}(?:\s[^<>]{0,500})?\/?>/gi

/** Clients show thoughts apart from the answer, so thoughts are not compared. */
function withoutThoughts(text: string): string {
  return text.replace(THOUGHTS, '')
}

/** Clients remove the marks of bold text and lists, so such marks are not compared. */
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

/**
 * Ends a piece before a word, if a word begins nearby. A piece never ends between a character and its marks.
 */
function endOfPiece(text: string, place: number): number {
  const last = Math.min(text.length, place + MAX_LOOK_CHARACTERS)
  for (let end = place; end < last; end++) if (/\s/.test(text[end - 1]!) && /\S/.test(text[end]!)) return end
  let end = place
  while (end < last && /[\p{M}\uDC00-\uDFFF]/u.test(text[end]!)) end += 1
  return end
}

/** An attachment counts only as one, since the address of the same picture changes. */
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
