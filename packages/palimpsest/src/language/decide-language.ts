import { type Content, headOf, type Message, ownText } from '../log/index.ts'
import { isLanguageSetting, type Language, type LanguageSetting, languageOfTag } from './language.ts'
import { languageOfText, spokenLanguage } from './spoken.ts'

/** So many of the newest messages of people that speak for a language are counted. */
const VOTES = 12
/** Another language than that of before: in so many of them at least, and in so large a part of them. */
const MIN_VOTES = 2
const MIN_SHARE = 0.75
/** Messages that are looked at to find them. */
export const LANGUAGE_SAMPLE = 40

type Spoken = Pick<Message, 'role' | 'content' | 'sender'>

export interface DecidedLanguage {
  readonly language: Language
  /** Nothing that was said tells it. */
  readonly isOpen: boolean
}

/** By the session's own setting, else by that of the instance. What is no setting says nothing. */
export function languageSetting(own: unknown, usual: LanguageSetting): LanguageSetting {
  return isLanguageSetting(own) ? own : usual
}

/**
 * In which language the engine's own texts of an epoch are. `auto`: in that of people: what the assistant and tools say
 * counts only where people have said nothing. A language that was decided `before` gives way only to one that most of what
 * people said lately is in, so that a text that one of them quotes changes nothing. Pure.
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
  // Of as many as of another, the one that was spoken first.
  return { language: votes.find(vote => counts.get(vote) === most)!, isOpen: false }
}

/** What each of the newest messages of people speaks for, oldest first. */
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

/** Without what memory itself gave back, and without what its sender only passed on. */
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

/** Of documents that are begun: of what people and the assistant said. */
export function languageOfMessages(messages: readonly Spoken[]): Language {
  return decideLanguage({ setting: 'auto', messages, before: null }).language
}
