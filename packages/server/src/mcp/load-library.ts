import { MissingPeerError } from 'palimpsest/internals/errors'

const PEER = '@modelcontextprotocol/server'

export type Library = typeof import('@modelcontextprotocol/server')

let library: Promise<Library> | null = null

/** Who speaks no MCP need not have it. Asked for at each request, and an import takes its time even when repeated. */
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
