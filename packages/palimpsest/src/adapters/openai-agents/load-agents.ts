import { MissingPeerError } from '../../errors.ts'

export async function loadAgents(need: string): Promise<typeof import('@openai/agents')> {
  try {
    return await import('@openai/agents')
  } catch (cause) {
    throw new MissingPeerError('@openai/agents', need, cause)
  }
}
