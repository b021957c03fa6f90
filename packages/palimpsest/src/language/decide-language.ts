import { type Content, headOf, type Message, ownText } from '../log/index.ts'
import { isLanguageSetting, type Language, type LanguageSetting, languageOfTag } from './language.ts'
import { languageOfText, spokenLanguage } from './spoken.ts'

/** This many of the newest messages of people that speak for a language are counted. */
const VOTES = 12
/** A change of the language needs this many messages at least, and this share of the counted messages. */
const MIN_VOTES = 2
const MIN_SHARE = 0.75
/** How many messages are looked at to find them. */
export const LANGUAGE_SAMPLE = 40

type Spoken = Pick<Message, 'role' | 'content' | 'sender'>

export interface DecidedLanguage {
  readonly language: Language
  /** Nothing that was said tells the language. */
  readonly isOpen: boolean
}

/** The session's own setting, or else the setting of the instance. An invalid value is ignored. */
export function languageSetting(own: unknown, usual: LanguageSetting): LanguageSetting {
  return isLanguageSetting(own) ? own : usual
}

/**
 * Decides the language of the engine's own texts in an epoch. `auto`: the language of people; the assistant
 * and tools count only if people have said nothing. An earlier language, `before`, changes only if most of
 * what people said lately is in another one. So a text that one of them quotes changes nothing. Pure.
 *
 * @param messages The newest, oldest first.
 */
export function decideLanguage({
  setting,
  messages,
  before,
}: {
  readonly setting: LanguageSetting
  readonly messages: readonly Spoken[]
  readonly before: Language | null
}): DecidedLanguage {
  if (setting !== 'auto') return { language: languageOfTag(setting), isOpen: false }
  const votes = votesIn(messages)
  const counts = new Map<Language, number>()
  for (const vote of votes) counts.set(vote, (counts.get(vote) ?? 0) + 1)
  if (before !== null) {
    const isOther = ([language, count]: [Language, number]) =>
      language !== before && count >= MIN_VOTES && count >= votes.length * MIN_SHARE
    return { language: [...counts].find(isOther)?.[0] ?? before, isOpen: false }
  }
  if (votes.length === 0) return { language: languageOfText(textsIn(messages)), isOpen: true }
  const most = Math.max(...counts.values())
  // If two languages have the same count, the one that was spoken first.
  return { language: votes.find(vote => counts.get(vote) === most)!, isOpen: false }
}

/** The languages of the newest messages of people, oldest first. */
function votesIn(messages: readonly Spoken[]): readonly Language[] {
  const votes: Language[] = []
  for (const { content } of saidByPeople(messages).toReversed()) {
    const vote = spokenLanguage(saidIn(content))
    if (vote !== null) votes.unshift(vote)
    if (votes.length === VOTES) break
  }
  return votes
}

export function hasEnoughVotes(messages: readonly Spoken[]): boolean {
  return votesIn(messages).length === VOTES
}

function saidByPeople(messages: readonly Spoken[]): readonly Spoken[] {
  return messages.filter(({ role, sender }) => role === 'user' && !sender?.isSelf)
}

/** Leaves out what memory gave back, and what the sender only passed on. */
function saidIn(content: Content): string {
  if (typeof content === 'string') return content
  return ownText(content.filter(part => part.type !== 'text' || part.recalled !== true))
}

const LOOKED_AT_OF_ONE = 2_000

function textsIn(messages: readonly Spoken[]): string {
  const text = (said: readonly Spoken[]) =>
    said.map(({ content }) => headOf(saidIn(content), LOOKED_AT_OF_ONE)).join('\n')
  const people = text(saidByPeople(messages))
  return /\p{L}/u.test(people) ? people : text(messages.filter(({ role }) => role === 'assistant'))
}

/** The language of new documents, from what people and the assistant said. */
export function languageOfMessages(messages: readonly Spoken[]): Language {
  return decideLanguage({ setting: 'auto', messages, before: null }).language
}
