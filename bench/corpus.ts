import type { MessageInput } from '../packages/palimpsest/src/index.ts'

const WORDS =
  `the a to and of you that was for on are with they be at have this from or had by hot but some what
  there we can out other were all your when up use word how said each she which do their time if will way about
  many then them would write like these her long make thing see him two has look more day could go come did sound
  no most people my over know water than call first who may down side been now find any new work part take get
  place made live where after back little only round man year came show every good give our under name very`
    .split(/\s+/)
    .filter(word => word !== '')

const CHARACTERS = 200
const SENDERS = ['user-4821', 'assistant-1']

/** The same words in every run, so that two runs measure the same. */
export function textOf(index: number, characters = CHARACTERS): string {
  let state = Math.imul(index + 1, 2_654_435_761) >>> 0
  let text = ''
  while (text.length < characters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += `${WORDS[(state >>> 8) % WORDS.length]} `
  }
  return `${text.slice(0, characters - 1)}.`
}

/** A question and an answer in turn, as a platform delivers them. */
export function messageAt(index: number) {
  return {
    role: index % 2 === 0 ? 'user' : 'assistant',
    text: textOf(index),
    externalId: `m-${100_000 + index}`,
    sender: { id: SENDERS[index % 2]! },
  } as const satisfies MessageInput
}

export function messagesFrom(start: number, length: number) {
  return Array.from({ length }, (_, index) => messageAt(start + index))
}
