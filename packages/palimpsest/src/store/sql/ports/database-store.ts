import type { DatabaseStore } from '../../store.ts'
import type { Calls } from '../calls.ts'

/** Loaded late, because only an operator asks for it. */
const loadCheckUp = () => import('../check-up.ts')

export function sqlDatabaseStore(calls: Calls): DatabaseStore {
  return {
    readIdentity: () => calls.read(({ sql }) => sql.readIdentity()),
    checkUp: async request => {
      const { checkUp } = await loadCheckUp()
      return calls.while(() => checkUp(calls.driver, request))
    },
  }
}
