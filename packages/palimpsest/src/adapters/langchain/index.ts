export { type SenderOf, toMessageInput } from './from-langchain.ts'
export {
  type PalimpsestMiddleware,
  type PalimpsestMiddlewareOptions,
  palimpsestMiddleware,
} from './middleware.ts'
export type { AgentRuntime, WhichSession } from './which-session.ts'
