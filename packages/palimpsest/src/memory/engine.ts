import type { LanguageSetting } from '../language/index.ts'
import type { Store } from '../store/index.ts'
import type { Summarizer } from '../summarizer/index.ts'
import type { LayerBudgets } from './layers/index.ts'

/** Where owners share what everybody sees: in their private chats alone, or in groups, too, when they are answered there. */
export type OwnerSharesIn = 'private' | 'groups'

/** What memory documents need of an instance. */
export interface MemoryEngine {
  readonly store: Store
  readonly namespace: string
  readonly zone: string
  /** Of sessions without a setting of their own. */
  readonly language: LanguageSetting
  readonly clock: () => number
  readonly summarizer: Summarizer
  readonly layerBudgets: LayerBudgets
  /** In whose private chats the model may write what everybody sees. */
  readonly memoryOwners: ReadonlySet<string>
  readonly ownerSharesIn: OwnerSharesIn
  /** This process, in the leases that it holds. */
  readonly owner: string
  /** Hears that documents changed: their files are behind now. */
  readonly noteChange: () => void
  readonly onError: (error: unknown, details: { readonly sessionId: string }) => void
}
