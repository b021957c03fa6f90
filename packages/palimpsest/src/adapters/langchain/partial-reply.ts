import type { Interruption, MessageInput } from '../../log/index.ts'
import type { Peers } from './peers.ts'

const VARIABLE = 'palimpsest_partial_reply'

/**
 * What a model had said when its reply broke off: LangChain keeps nothing of it. It listens to the pieces of a
 * reply, where it is streamed.
 */
export class PartialReply {
  #text = ''

  /** To the models that are called from here on, and by whoever is called from here. */
  listen({ callbacks, context }: Peers): void {
    const handler = callbacks.BaseCallbackHandler.fromMethods({
      handleChatModelStart: () => {
        this.#text = ''
      },
      handleLLMNewToken: token => this.#hear(token),
      handleChatModelStreamEvent: (event: unknown) => {
        const { delta } = event as { delta?: { type?: unknown; text?: unknown } }
        if (delta?.type === 'text-delta') this.#hear(delta.text)
      },
    })
    // Otherwise a piece is heard at some later time, when nobody waits for it any more.
    handler.awaitHandlers = true
    try {
      context.registerConfigureHook({ contextVar: VARIABLE, inheritable: false })
      context.setContextVariable(VARIABLE, handler)
    } catch {
      // Without asynchronous contexts there is no listening; a whole reply comes all the same.
    }
  }

  #hear(piece: unknown): void {
    if (typeof piece === 'string') this.#text += piece
  }

  /** `null`: nothing was said. */
  said(interrupted: Interruption): MessageInput | null {
    if (this.#text.trim() === '') return null
    return { role: 'assistant', content: [{ type: 'text', text: this.#text, interrupted }] }
  }
}
