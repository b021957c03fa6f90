import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Channel, IncomingMessage, Place } from './channel.ts'
import { sessionIdOf } from './session-id.ts'

/**
 * A chat that got another id goes on as the session that it was. The ids of its messages begin anew with it, so that
 * from then on they are stored with the chat before them.
 */
export interface KnownPlace {
  readonly sessionId: string
  /** The session was another chat of the platform's when it began. */
  readonly isMoved: boolean
}

/** The chat of a person does not move: it is not looked for. */
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

/** As a message's id is stored: unique in the session. */
export function toExternalId(id: string, { chat, isMoved }: Place & Pick<KnownPlace, 'isMoved'>): string {
  return isMoved ? `${chat}/${id}` : id
}

/** The platform's own id of a message, for an answer in this chat; `null`: it was said in the chat's earlier one. */
export function toPlatformId(
  externalId: string | null,
  { chat, isMoved }: Place & Pick<KnownPlace, 'isMoved'>,
): string | null {
  if (externalId === null || !isMoved) return externalId
  return externalId.startsWith(`${chat}/`) ? externalId.slice(chat.length + 1) : null
}
