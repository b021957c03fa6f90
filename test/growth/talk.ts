import type { MessageInput } from '../../packages/palimpsest/src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'

/** 144 messages a day: a busy chat, of which a million messages are nineteen years. */
const APART_MS = 600_000

type Said = Pick<MessageInput, 'role'> & { readonly content: string; readonly at: number }

/** A conversation that goes on, and the time of its newest message. */
export class Talk {
  readonly #messages: ReturnType<typeof smallTalk>
  #now: number
  #said = 0

  /** So many messages before that time, or, if it is none, from then on. */
  constructor(at: number, messagesBefore = 0) {
    this.#messages = smallTalk(messagesBefore === 0 ? 1 : 2)
    this.#now = at - messagesBefore * APART_MS
  }

  get now(): number {
    return this.#now
  }

  /** A word of the newest messages that no other one has. */
  get rareWord(): string {
    return `zq${this.#said}`
  }

  next(count: number): Said[] {
    return Array.from({ length: count }, () => {
      this.#now += APART_MS
      const { role, content } = this.#messages.next().value
      return { role, content: content as string, at: this.#now }
    })
  }

  /** The same, with the word in the first. */
  nextWithRareWord(count: number): Said[] {
    this.#said += count
    return this.next(count).map((message, place) =>
      place > 0 ? message : { ...message, content: `Its key is ${this.rareWord}. ${message.content}` },
    )
  }
}
