import { type Message, oneLine, ROLES, type Role, WhoIsWho } from '../log/index.ts'
import { dayInZone, formatDay } from '../summarizer/calendar-day.ts'
import {
  identityOf,
  languageOfSource,
  markedText,
  type SourceMessage,
  speakerIn,
  whoSpeaks,
} from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'

/**
 * The one form of a summary's lines: `- 2026-03-02 Ann: …`, or `- 2026-03-02–2026-03-09 …` if days are
 * merged. Messages that are kept whole are written like this. Lines of segments are read back like this when
 * they are condensed. A name ends at the first colon with a space behind it, since platform ids contain
 * colons.
 */
const LINE = /^- (?:(\d{4}-\d{2}-\d{2})(?:–\d{4}-\d{2}-\d{2})? )?(?:((?:[^:]|:(?=\S)){1,110}?): )?(.*)$/
/**
 * Writes messages word for word, in the fullest form that fits. The forms, from full to short:
 * - Each message has a line with its speaker.
 * - Messages in a row from one speaker share a line.
 * - Roles replace names, if the role tells who speaks.
 * - An answered message is not quoted again, if it is among these messages.
 * - The days are merged into the first and the last. The shortest form leaves the days out.
 *
 * Each form names the speaker at each change, since words without a speaker could be from anyone. The words
 * stay whole as long as any form fits. A message that says nothing leaves no line. If no message says
 * anything, the text is empty.
 */
export function verbatimLines(
  messages: readonly Message[],
  {
    zone,
    fits,
    who = whoSpeaks(messages),
    byRoles = false,
  }: {
    zone: string
    fits: (lines: string) => boolean
    who?: WhoIsWho
    /** Whether the role tells who speaks, as in a private chat. A role takes fewer tokens than most names. */
    byRoles?: boolean
  },
): string {
  const language = languageOfSource(messages)
  const inside = new Set(messages.map(({ seq }) => seq))
  const wordsOf = (message: SourceMessage) => oneLine(markedText(message, language, each => who.nameOf(each)))
  const said: Said[] = messages.flatMap(message => {
    const { answered, ...unquoting } = message
    const words = wordsOf(message)
    const alone = answered === undefined ? words : wordsOf(unquoting)
    const isEcho = answered !== undefined && inside.has(answered.seq)
    const day = dayOf(message.at, message.zone ?? zone)
    const { role } = message
    return saysSomething(words)
      ? [{ day, identity: identityOf(message), role, name: speakerIn(who, message), words, alone, isEcho }]
      : []
  })
  if (said.length === 0) return ''
  const whole = byRoles ? withRoles(said) : said
  const told = said.map(each => (each.isEcho ? { ...each, words: each.alone } : each))
  const short = byRoles ? withRoles(told) : told
  const forms = [
    () => lines(said, { names: 'all' }),
    () => lines(said, { names: 'changed' }),
    () => lines(whole, { names: 'changed' }),
    () => lines(short, { names: 'changed' }),
    () => lines(withoutDays(told), { names: 'changed', days: mergedDays(said) }),
    () => lines(withoutDays(short), { names: 'changed', days: mergedDays(said) }),
    () => lines(withoutDays(short), { names: 'changed' }),
  ]
  for (const form of forms) {
    const text = form()
    if (fits(text)) return text
  }
  return newestWords(short, fits)
}

interface Said {
  readonly day: string
  /** Two people may share a name, so the name is no identity. */
  readonly identity: string
  readonly role: Role
  readonly name: string
  readonly words: string
  /** The words without the quotation of the answered message. */
  readonly alone: string
  /** Whether the answered message is among these messages. */
  readonly isEcho: boolean
}

const BETWEEN = ' / '

function lines(
  said: readonly Said[],
  { names, days = '' }: { names: 'all' | 'changed'; days?: string },
): string {
  let text = ''
  let last: Said | null = null
  for (const each of said) {
    const { day, name, words } = each
    const line = `${name}: ${words}`
    const isNewDay = day !== (last?.day ?? '')
    const before = last === null && days !== '' ? days : isNewDay ? day : ''
    if (names === 'changed' && !isNewDay && last !== null && isSameSpeaker(each, last))
      text += `${BETWEEN}${words}`
    else text += `${text && '\n'}- ${before && `${before} `}${line}`
    last = each
  }
  return text
}

/** A speaker with a new name counts as a new speaker, so that the new name is shown. */
function isSameSpeaker(one: Said, other: Said): boolean {
  return one.identity === other.identity && one.name === other.name
}

/** A role replaces the names only if one voice has this role. */
function withRoles(said: readonly Said[]): readonly Said[] {
  const shared = sharedRoles(said)
  return said.map(each => (shared.has(each.role) ? each : { ...each, name: each.role }))
}

/** The roles in which several people speak. */
function sharedRoles(said: readonly Pick<Said, 'role' | 'identity'>[]): ReadonlySet<Role> {
  const voices = new Map<Role, string>()
  const shared = new Set<Role>()
  for (const { role, identity } of said) {
    if ((voices.get(role) ?? identity) !== identity) shared.add(role)
    voices.set(role, identity)
  }
  return shared
}

/**
 * The tokens for names that a context does not show. Outside of groups, messages bear no names. A text that
 * replaces messages must name several voices in one role.
 */
export function namingTokens(
  messages: readonly Message[],
  { who, byRoles }: { who: WhoIsWho; byRoles: boolean },
): number {
  const shared = sharedRoles(messages.map(message => ({ role: message.role, identity: identityOf(message) })))
  return messages.reduce((sum, message) => {
    const isTold = byRoles && !shared.has(message.role)
    return isTold ? sum : sum + estimateTokens(`${speakerIn(who, message)}: `)
  }, 0)
}

function withoutDays(said: readonly Said[]): readonly Said[] {
  return said.map(each => ({ ...each, day: '' }))
}

/** `2026-03-02`, or `2026-03-02–2026-03-09`. */
function mergedDays(said: readonly Said[]): string {
  const days = said.map(({ day }) => day).sort()
  return days[0] === days.at(-1) ? days[0]! : `${days[0]}–${days.at(-1)}`
}

/**
 * The end of the messages, as much as fits, if even the shortest form does not fit. A tool's result, for
 * example, may take more tokens as a line than as a message. Messages are kept or dropped whole, since the
 * beginning of one may hold a "not". Only a single message that does not fit is cut.
 */
function newestWords(said: readonly Said[], fits: (lines: string) => boolean): string {
  const bare = withoutDays(said).map(each => ({ ...each, words: each.alone }))
  for (let first = 1; first < bare.length; first++) {
    const text = lines(bare.slice(first), { names: 'changed' })
    if (fits(text)) return text
  }
  const last = bare.at(-1)!
  for (let length = last.words.length; length > 0; length = Math.floor(length * 0.8)) {
    const line = lines([endOf(last, length)], { names: 'changed' })
    if (fits(line)) return line
  }
  return ''
}

/** The last `characters` of a message. */
function endOf(said: Said, characters: number): Said {
  if (said.words.length <= characters) return said
  const tail = said.words.slice(-characters).toWellFormed().replaceAll('\ufffd', '')
  return { ...said, words: `…${tail}` }
}

/** Spaces and invisible marks say nothing. */
function saysSomething(words: string): boolean {
  return /[^\s\p{C}\p{Z}]/u.test(words)
}

/**
 * Each line as a message, with the day that holds for it. `before` is the day of lines before the first day.
 */
export function linesAsMessages(
  text: string,
  before: Date,
  who: WhoIsWho = new WhoIsWho([]),
): SourceMessage[] {
  let at = before
  return text.split('\n').map((line, index) => {
    const [, day, name, words = line] = LINE.exec(line) ?? []
    const noon = day === undefined ? null : noonOf(day)
    at = noon ?? at
    return {
      seq: index + 1,
      ...speakerOf(name, who),
      // A day that the calendar does not have is a number in the text.
      content: day !== undefined && noon === null ? `${day} ${words}` : words,
      at,
      zone: 'UTC',
    }
  })
}

/** `null`: no line has a day. */
export function firstDay(text: string): Date | null {
  for (const [, day] of text.matchAll(/^- (\d{4}-\d{2}-\d{2})(?:–\d{4}-\d{2}-\d{2})? /gm)) {
    const noon = noonOf(day!)
    if (noon !== null) return noon
  }
  return null
}

/** `null`: there is no such day. */
function noonOf(day: string): Date | null {
  const noon = new Date(`${day}T12:00:00Z`)
  return noon.toJSON()?.startsWith(day) ? noon : null
}

/**
 * The earlier summary that a summariser reads. `null`: there is none, or nothing is left of it. Segments with
 * text from before an edit are left out, since the new summary would keep that text.
 */
export function earlierSummary(
  segments: readonly { readonly summary: string; readonly state?: string }[],
): string | null {
  const summaries = segments
    .filter(({ state }) => state !== 'dirty')
    .map(({ summary }) => summary)
    .filter(summary => summary !== '')
  return summaries.length === 0 ? null : summaries.join('\n')
}

/**
 * A role as a name means a speaker without a name. A person whose name is a role stands in quotes. A name
 * that no known person has stays as it is.
 */
function speakerOf(
  name: string | undefined,
  who: WhoIsWho,
): Pick<SourceMessage, 'role' | 'sender' | 'speaker'> {
  if (name === undefined) return { role: 'user', sender: null }
  const role = ROLES.find(role => role === name)
  if (role !== undefined) return { role, sender: null }
  const known = who.find(name)
  if (known === null) return { role: 'user', sender: null, speaker: name }
  return { role: 'user', sender: { id: known.person.id, name: known.name } }
}

/** The day as `YYYY-MM-DD`. */
export function dayOf(at: Date, zone: string): string {
  return formatDay(dayInZone(at, zone))
}
