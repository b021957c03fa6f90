export { AgentsSession, type AgentsSessionOptions, agentsSession } from './agents-session.ts'
export type { ItemMessage } from './item-format.ts'
export { toItem } from './to-item.ts'
export { toMessage } from './to-message.ts'
