import { InvalidArgumentError } from '../../errors.ts'
import { isNewId, NEW_ID_RULE } from '../../log/index.ts'

/** Called only where something is created. So rows of an older database with other ids stay within reach. */
export function checkNewIds(ids: Readonly<Record<string, string | null>>): void {
  for (const [field, id] of Object.entries(ids))
    if (id !== null && !isNewId(id)) throw new InvalidArgumentError(field, id, NEW_ID_RULE)
}
