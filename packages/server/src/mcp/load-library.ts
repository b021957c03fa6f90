import { MissingPeerError } from 'palimpsest/internals/errors'

const PEER = '@modelcontextprotocol/server'

export type Library = typeof import('@modelcontextprotocol/server')

let library: Promise<Library> | null = null

/**
 * Loads the library on demand: a program without MCP need not install it. The promise is kept, since this is
 * called at each request and even a repeated import takes time.
 */
export function loadLibrary(): Promise<Library> {
  library ??= peer(import('@modelcontextprotocol/server'))
  return library
}

export const loadStdio = () => peer(import('@modelcontextprotocol/server/stdio'))

function peer<Module>(loading: Promise<Module>): Promise<Module> {
  return loading.catch(cause => {
    throw new MissingPeerError(PEER, 'MCP', cause)
  })
}
