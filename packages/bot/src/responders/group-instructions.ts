import { senderName } from '../../../palimpsest/src/context/index.ts'
import { type Language, textsOf } from '../../../palimpsest/src/language/index.ts'
import type { Message } from '../../../palimpsest/src/log/index.ts'
import type { Trigger } from '../channel.ts'

/** The same for every turn, so that it can stand in the instructions, where a provider's cache begins. */
export function groupInstructions(language: Language): string {
  return textsOf(language).group.instructions
}

/** Said at the very end: whom to answer in a group, and why. Names are shown as the headings show them. */
export function answerWhom(messages: readonly Message[], trigger: Trigger, language: Language): string {
  const { answer, reasons } = textsOf(language).group
  const people = [...new Set(messages.map(message => `[${senderName(message, language)}]`))]
  return answer({ people, reason: reasons[trigger], messages: messages.length })
}
