import { StoreError } from '../../errors.ts'
import type { Identity } from '../store.ts'
import { first, type Steps } from './steps.ts'

interface IdentityRow {
  readonly id: string
  readonly generation: number
  readonly generation_key: string
}

export function* readIdentity(name: string): Steps<Identity> {
  const row = yield* first<IdentityRow>('SELECT id, generation, generation_key FROM identity')
  if (row === undefined)
    throw new StoreError('store_corrupt', name, 'its table "identity" is empty. Restore a backup.')
  return { id: row.id, generation: row.generation, generationKey: row.generation_key }
}
