import { mergePeople, type Person, peopleIn, type Spoken, WhoIsWho } from '../log/index.ts'
import type { SourceMessage } from './summarizer.ts'

/** Everyone in the source, beside those who are known from what came before. */
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

/** Who said it, as it is written; of a line of an earlier summary whose speaker is not known, as it stands there. */
export function speakerIn(
  who: WhoIsWho,
  message: Pick<SourceMessage, 'role' | 'sender' | 'speaker'>,
): string {
  return message.speaker ?? who.nameOf(message)
}

/** The same for all that one speaker says, and for nothing else: a name is never an identity. */
export function identityOf({
  sender,
  speaker,
  role,
}: Pick<SourceMessage, 'role' | 'sender' | 'speaker'>): string {
  if (speaker !== undefined) return `name ${speaker}`
  return sender === null ? role : `id ${sender.id}`
}
