import { senderName } from 'palimpsest/internals/context/index'
import { type Language, textsOf } from 'palimpsest/internals/language/index'
import type { Message } from 'palimpsest/internals/log/index'
import type { Trigger } from '../channel.ts'

/**
 * The same text for every turn, so that it can be part of the instructions, where a provider's cache begins.
 */
export function groupInstructions(language: Language): string {
  return textsOf(language).group.instructions
}

/**
 * The last words of the prompt: whom to answer in a group, and why. Names have the form that the headings of
 * messages have.
 */
export function answerWhom(messages: readonly Message[], trigger: Trigger, language: Language): string {
  const { answer, reasons } = textsOf(language).group
  const people = [...new Set(messages.map(message => `[${senderName(message, language)}]`))]
  return answer({ people, reason: reasons[trigger], messages: messages.length })
}
