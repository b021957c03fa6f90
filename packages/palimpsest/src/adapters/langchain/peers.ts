import { MissingPeerError } from '../../errors.ts'

/** What this adapter needs of LangChain at run time. */
export interface Peers {
  readonly callbacks: typeof import('@langchain/core/callbacks/base')
  readonly context: typeof import('@langchain/core/context')
  readonly messages: typeof import('@langchain/core/messages')
  readonly singletons: typeof import('@langchain/core/singletons')
  readonly tools: typeof import('@langchain/core/tools')
  readonly functions: typeof import('@langchain/core/utils/function_calling')
}

const PEERS = 'langchain @langchain/core'

/**
 * The path of this file while it is a file of its own. A bundler puts everything into one file, and there no
 * package can be found by name.
 */
const OWN_FILE = /\/adapters\/langchain\/peers\.[jt]s$/

/**
 * Tells at once which package is missing. The module itself imports nothing of LangChain: an import that
 * fails there cannot be caught, and its error would not tell what to install.
 */
export function checkPeers(): void {
  if (typeof import.meta.resolve !== 'function' || !OWN_FILE.test(import.meta.url)) return
  for (const peer of ['langchain', '@langchain/core/messages'])
    try {
      import.meta.resolve(peer)
    } catch (cause) {
      throw missing(cause)
    }
}

let loaded: Promise<Peers> | null = null

export function loadPeers(): Promise<Peers> {
  loaded ??= load().catch(error => {
    loaded = null
    throw missing(error)
  })
  return loaded
}

async function load(): Promise<Peers> {
  const [callbacks, context, messages, singletons, tools, functions] = await Promise.all([
    import('@langchain/core/callbacks/base'),
    import('@langchain/core/context'),
    import('@langchain/core/messages'),
    import('@langchain/core/singletons'),
    import('@langchain/core/tools'),
    import('@langchain/core/utils/function_calling'),
  ])
  return { callbacks, context, messages, singletons, tools, functions }
}

function missing(cause: unknown): MissingPeerError {
  return new MissingPeerError(PEERS, 'palimpsestMiddleware', cause)
}
