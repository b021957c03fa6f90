import { SAME } from './namespaces-fill.ts'
import type { Tenant } from './namespaces-house.ts'

interface ToolCall {
  readonly args: Readonly<Record<string, unknown>>
  /** The answer holds the caller's own canary. */
  readonly shows?: true
}

const session = SAME.session

/** Every tool of MCP, as somebody would call it who looks for what is not theirs. */
export const TOOL_CALLS: Readonly<Record<string, (caller: Tenant, other: Tenant) => readonly ToolCall[]>> = {
  get_context: ({ canary }, other) => [
    { args: { session, query: canary }, shows: true },
    { args: { session, query: `${other.namespace} lemons`, budget: 8_000 }, shows: true },
    { args: { session: `only-${other.namespace}` } },
  ],
  query_history: ({ canary }, other) => [
    { args: { session, query: canary, limit: 20 }, shows: true },
    { args: { session, query: 'lemons', sender: SAME.user }, shows: true },
    { args: { session: `only-${other.namespace}`, query: 'lemons' } },
  ],
  expand_history: (_, other) => [
    { args: { session, fromSeq: 1, toSeq: 14 }, shows: true },
    { args: { session, segment: 1 }, shows: true },
    { args: { session: `only-${other.namespace}`, fromSeq: 1, toSeq: 2 } },
  ],
  append_messages: ({ canary }) => [
    { args: { session, role: 'user', text: `${canary} by MCP`, externalId: 'by-mcp' } },
    { args: { session, role: 'user', text: `${canary} by MCP`, externalId: 'by-mcp' } },
  ],
  write_memory: ({ canary }) => [{ args: { session, content: `All know ${canary}.` } }],
  write_user_memory: ({ canary }) => [{ args: { session, content: `Mara knows ${canary}.` } }],
  write_chat_memory: ({ canary }) => [
    { args: { session, section: 'Agreements', content: `Here it is ${canary}.` } },
  ],
}
