import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Channel, IncomingMessage, Place } from './channel.ts'
import { sessionIdOf } from './session-id.ts'

/**
 * A chat that got another id goes on as the same session. Its messages are numbered anew then, so from that
 * time on their stored ids carry the chat's id.
 */
export interface KnownPlace {
  readonly sessionId: string
  /** The session began under another id of the chat. */
  readonly isMoved: boolean
}

/** A private chat never moves, so it is not looked up. */
export async function findPlace(
  palimpsest: Palimpsest,
  channel: Channel,
  place: Place & { readonly kind?: IncomingMessage['kind'] },
): Promise<KnownPlace> {
  const name = sessionIdOf(channel.name, place)
  if (!channel.moves || place.kind === 'private') return { sessionId: name, isMoved: false }
  const sessionId = await palimpsest.aliased(name)
  return { sessionId, isMoved: sessionId !== name }
}

/** A message's id in the form in which it is stored: unique in the session. */
export function toExternalId(id: string, { chat, isMoved }: Place & Pick<KnownPlace, 'isMoved'>): string {
  return isMoved ? `${chat}/${id}` : id
}

/**
 * The platform's own id of a message, for an answer in this chat. `null`: the message came before the chat
 * got this id.
 */
export function toPlatformId(
  externalId: string | null,
  { chat, isMoved }: Place & Pick<KnownPlace, 'isMoved'>,
): string | null {
  if (externalId === null || !isMoved) return externalId
  return externalId.startsWith(`${chat}/`) ? externalId.slice(chat.length + 1) : null
}
