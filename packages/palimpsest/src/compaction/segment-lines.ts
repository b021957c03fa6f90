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
 * The one form of a summary's lines, `- 2026-03-02 Ann: …`: a message that is kept whole is written so,
 * and the lines of segments are read back so when they are condensed. A name ends at the first colon with a blank behind it:
 * ids of platforms hold colons. Where days are merged, `- 2026-03-02–2026-03-09 …`.
 */
const LINE = /^- (?:(\d{4}-\d{2}-\d{2})(?:–\d{4}-\d{2}-\d{2})? )?(?:((?:[^:]|:(?=\S)){1,110}?): )?(.*)$/
/**
 * Messages as they are, in the fullest form that fits. Who says it stands before each change of speaker, in every form:
 * words without a speaker could be anyone's. Of many short ones the names go where the one before spoke too; then those
 * whose role says who they are go by it, and what a message answers is not quoted again where it stands among them; where
 * their days do not fit, they are merged into the first and the last, and go last of all. What is said stays whole as long as it fits in any form. Messages that say nothing leave no line;
 * empty where none says anything.
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
    /** The role says who speaks, as in a private chat: it takes fewer tokens than most names. */
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
  /** Names are no identity. */
  readonly identity: string
  readonly role: Role
  readonly name: string
  readonly words: string
  /** Without a quotation of what it answers. */
  readonly alone: string
  /** What it answers stands here, too. */
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

/** Under another name the same one is named again. */
function isSameSpeaker(one: Said, other: Said): boolean {
  return one.identity === other.identity && one.name === other.name
}

/** Under a role there is one voice, or none goes by it. */
function withRoles(said: readonly Said[]): readonly Said[] {
  const shared = sharedRoles(said)
  return said.map(each => (shared.has(each.role) ? each : { ...each, name: each.role }))
}

/** In which several speak. */
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
 * What it takes to say who speaks where a context shows it by nothing: outside of groups messages bear no names, and
 * of several voices in one role a text that stands for them has to tell.
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
 * As much as fits of the end, where even the words alone do not: a tool's result may be told at greater length than it
 * was. Messages go as a whole: the beginning of one may hold a "not". Only one that does not fit by itself is cut.
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

/** So many characters of its end. */
function endOf(said: Said, characters: number): Said {
  if (said.words.length <= characters) return said
  const tail = said.words.slice(-characters).toWellFormed().replaceAll('\ufffd', '')
  return { ...said, words: `…${tail}` }
}

/** Neither spaces nor marks that do not show. */
function saysSomething(words: string): boolean {
  return /[^\s\p{C}\p{Z}]/u.test(words)
}

/** Each line as a message of its own, with the day that held for it; `before`: of a text that has none. */
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
      // What the calendar does not have is a number that somebody wrote.
      content: day !== undefined && noon === null ? `${day} ${words}` : words,
      at,
      zone: 'UTC',
    }
  })
}

/** `null`: no line has one. */
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

/** What a summariser is told of what came before; `null`: nothing did, or nothing is left of it. */
/** Without those that tell of a message as it was before an edit: what is told from them would stay. */
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
 * One without a name stood there by the role; one who only has it for a name stands in quotes. Who is not known as a
 * person stays under the name that stands there.
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

/** `YYYY-MM-DD`. */
export function dayOf(at: Date, zone: string): string {
  return formatDay(dayInZone(at, zone))
}
