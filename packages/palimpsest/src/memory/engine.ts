import type { LanguageSetting } from '../language/index.ts'
import type { Store } from '../store/index.ts'
import type { Summarizer } from '../summarizer/index.ts'
import type { LayerBudgets } from './layers/index.ts'

/**
 * Where owners may write what every session sees. `private`: in their private chats only. `groups`: also in
 * groups, if the answer is for owners only.
 */
export type OwnerSharesIn = 'private' | 'groups'

/** The parts of an instance that memory documents need. */
export interface MemoryEngine {
  readonly store: Store
  readonly namespace: string
  readonly zone: string
  /** For sessions without their own language setting. */
  readonly language: LanguageSetting
  readonly clock: () => number
  readonly summarizer: Summarizer
  readonly layerBudgets: LayerBudgets
  /** In the private chats of these people, the model may write what every session sees. */
  readonly memoryOwners: ReadonlySet<string>
  readonly ownerSharesIn: OwnerSharesIn
  /** The name of this process in its leases. */
  readonly owner: string
  /** Called when documents have changed, so that their files have to be written again. */
  readonly noteChange: () => void
  readonly onError: (error: unknown, details: { readonly sessionId: string }) => void
}
