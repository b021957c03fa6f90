import type { Interruption, MessageInput } from '../../log/index.ts'
import type { Peers } from './peers.ts'

const VARIABLE = 'palimpsest_partial_reply'

/**
 * What a model had said when its reply broke off: LangChain keeps nothing of it. This class listens to the
 * pieces of a reply that is streamed.
 */
export class PartialReply {
  #text = ''

  /**
   * Listens to the models that are called from here on, directly or by functions that are called from here.
   */
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
    // Otherwise a piece could arrive later, when the reply is no longer read.
    handler.awaitHandlers = true
    try {
      context.registerConfigureHook({ contextVar: VARIABLE, inheritable: false })
      context.setContextVariable(VARIABLE, handler)
    } catch {
      // Without asynchronous contexts this cannot listen. A whole reply arrives all the same.
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
