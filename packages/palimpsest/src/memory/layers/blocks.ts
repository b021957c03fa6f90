import type { LayerName } from '../../store/index.ts'

/** The names of the blocks' tags, the same in every language. */
export const BLOCKS = {
  persona: 'persona',
  global: 'global_memory',
  user: 'user_memory',
  scope: 'scope_memory',
  chat: 'chat_memory',
  daily: 'daily_log',
} as const satisfies Record<LayerName, string>
