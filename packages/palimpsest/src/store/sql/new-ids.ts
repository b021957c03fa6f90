import { InvalidArgumentError } from '../../errors.ts'
import { isNewId, NEW_ID_RULE } from '../../log/index.ts'

/** Where something is created, and only there: what an older database has under another id stays within reach. */
export function checkNewIds(ids: Readonly<Record<string, string | null>>): void {
  for (const [field, id] of Object.entries(ids))
    if (id !== null && !isNewId(id)) throw new InvalidArgumentError(field, id, NEW_ID_RULE)
}
