import { textsOf } from 'palimpsest/internals/language/index'
import { headOf, type Message, ownText } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import type { IncomingMessage } from './channel.ts'
import type { CommandOptions } from './options.ts'
import { languageOf } from './responders/language-of.ts'

/**
 * A command tells the bot to do something and asks it nothing. It is a message of the log like any other, so
 * that the platform may deliver it twice. It waits by itself, under a key that no person has, and no model
 * answers it.
 */
const KEY = '\u0001new-beginning '

/** In groups, a command is sent with the bot's name. */
const NAMES_AROUND = /^(?:@\S+\s+)+|(?:\s+@\S+)+$/g
const MAX_COMMAND = 200

/** The key under which a command for a new beginning waits. `null`: the message is no such command. */
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

/**
 * Called when the command arrives, and again before it is answered: the process may have ended between the
 * two.
 */
export async function beginAnew(session: Session, seq: number): Promise<void> {
  await session.newBeginning({ afterSeq: seq })
}

/** The confirmation, in the language of the chat. */
export async function newBeginningText(session: Session, { seq }: Message): Promise<string> {
  const messages = await session.messages({ before: seq, limit: LOOKED_AT, from: 'newest' })
  return textsOf(await languageOf(session, messages)).replies.newBeginning
}
