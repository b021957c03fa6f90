import type { Identity } from '../store.ts'
import { first, type Steps } from './steps.ts'

interface IdentityRow {
  readonly id: string
  readonly generation: number
  readonly generation_key: string
}

export function* readIdentity(): Steps<Identity> {
  const row = yield* first<IdentityRow>('SELECT id, generation, generation_key FROM identity')
  // A lost page. The driver reports the damage.
  if (row === undefined) throw new SyntaxError('the identity of the database is not there')
  return { id: row.id, generation: row.generation, generationKey: row.generation_key }
}
