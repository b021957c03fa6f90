import { ownText } from 'palimpsest/internals/log/index'
import type { IncomingMessage, Trigger } from './channel.ts'
import type { GroupOptions, People, PrivateOptions } from './options.ts'

/**
 * What a message means to the bot, decided by pure rules. Another place decides whether the bot speaks up
 * unasked.
 */
export interface Attention {
  /** The message is stored, and the model sees it. */
  readonly isSeen: boolean
  /** Why the message is answered. `null`: it is not answered. */
  readonly trigger: Trigger | null
}

export interface AttentionRules {
  readonly privates: PrivateOptions
  readonly groups: GroupOptions
}

/** `sender` is the id by which the rules name people. */
export function attend(message: IncomingMessage, sender: string, rules: AttentionRules): Attention {
  return message.kind === 'private'
    ? attendPrivate(sender, rules.privates)
    : attendGroup(message, sender, rules.groups)
}

function attendPrivate(sender: string, { seen = 'all', triggeredBy = 'all' }: PrivateOptions): Attention {
  const trigger = isAmong(triggeredBy, sender) ? 'private' : null
  return { trigger, isSeen: trigger !== null || isAmong(seen, sender) }
}

function attendGroup(message: IncomingMessage, sender: string, rules: GroupOptions): Attention {
  const { seen = 'all', triggeredBy = 'all' } = rules
  const addressed = addressedBy(message, rules)
  const trigger = isAmong(triggeredBy, sender) ? addressed : null
  const isVisible = seen === 'addressed' ? addressed !== null : isAmong(seen, sender)
  return { trigger, isSeen: trigger !== null || isVisible }
}

function addressedBy(message: IncomingMessage, rules: GroupOptions): Trigger | null {
  const { mention = true, reply = true, names = [] } = rules
  if (message.isForOther) return null
  if (mention && message.mentionsBot) return 'mention'
  if (reply && message.repliesToBot) return 'reply'
  return names.length > 0 && isNamed(ownText(message.content), names) ? 'name' : null
}

export function isAmong(people: People, sender: string): boolean {
  return people === 'all' || people.includes(sender)
}

/**
 * Whether the text contains a name as a separate word, in upper or lower case. In scripts that do not
 * separate words, any place counts.
 */
export function isNamed(text: string, names: readonly string[]): boolean {
  return names.some(name => {
    const pattern = escapePattern(name.normalize('NFKC'))
    const isApart = !/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/u.test(name)
    const whole = isApart ? `(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])` : pattern
    return new RegExp(whole, 'iu').test(text.normalize('NFKC'))
  })
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
