import { mergePeople, type Person, peopleIn, type Spoken, WhoIsWho } from '../log/index.ts'
import type { SourceMessage } from './summarizer.ts'

/** Everyone in the source, and the `known` people from what came before. */
export function whoSpeaks(
  messages: readonly Spoken[],
  known: readonly Person[] = [],
  options?: { readonly marksAll?: boolean },
): WhoIsWho {
  return new WhoIsWho(
    mergePeople(
      known,
      peopleIn(messages, () => ''),
    ),
    options,
  )
}

/**
 * The speaker's name, as it is written. A line of an earlier summary with an unknown speaker keeps the name
 * that stands there.
 */
export function speakerIn(
  who: WhoIsWho,
  message: Pick<SourceMessage, 'role' | 'sender' | 'speaker'>,
): string {
  return message.speaker ?? who.nameOf(message)
}

/**
 * The same string for all that one speaker says, and for nothing else. A written name is never taken for an
 * id.
 */
export function identityOf({
  sender,
  speaker,
  role,
}: Pick<SourceMessage, 'role' | 'sender' | 'speaker'>): string {
  if (speaker !== undefined) return `name ${speaker}`
  return sender === null ? role : `id ${sender.id}`
}
