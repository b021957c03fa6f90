import { textsOf } from 'palimpsest/internals/language/index'
import { headOf, type Message, ownText } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import type { IncomingMessage } from './channel.ts'
import type { CommandOptions } from './options.ts'
import { languageOf } from './responders/language-of.ts'

/**
 * What a person tells the bot to do, rather than asks it. A command is a message of the log as any other, so that the
 * platform may deliver it twice; it waits by itself, under a key that no person has, and no model answers it.
 */
const KEY = '\u0001new-beginning '

/** In groups, where a command is sent with the bot's name. */
const NAMES_AROUND = /^(?:@\S+\s+)+|(?:\s+@\S+)+$/g
const MAX_COMMAND = 200

/** Of a message that begins anew, what it waits under; `null`: it is no such command. */
export function commandKey(
  { id, content }: Pick<IncomingMessage, 'id' | 'content'>,
  { newBeginning }: Required<CommandOptions>,
): string | null {
  const text = headOf(ownText(content), MAX_COMMAND + 1).trim()
  if (text.length > MAX_COMMAND) return null
  const said = text.replace(NAMES_AROUND, '').trim()
  const isSaid = newBeginning.some(word => {
    const [plain, given] = [word.trim().toLowerCase(), said.toLowerCase()]
    return given === plain || (given.startsWith(`${plain}@`) && !/\s/.test(given))
  })
  return isSaid ? `${KEY}${id}` : null
}

export function isCommandKey(key: string): boolean {
  return key.startsWith(KEY)
}

const LOOKED_AT = 12

/** Made when the command arrives, and once more before it is answered: it may have come right before a restart. */
export async function beginAnew(session: Session, seq: number): Promise<void> {
  await session.newBeginning({ afterSeq: seq })
}

/** In the language in which the chat was held. */
export async function newBeginningText(session: Session, { seq }: Message): Promise<string> {
  const messages = await session.messages({ before: seq, limit: LOOKED_AT, from: 'newest' })
  return textsOf(await languageOf(session, messages)).replies.newBeginning
}
