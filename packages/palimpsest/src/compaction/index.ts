export type { BuiltInHandler } from './built-in.ts'
export type { FoldEngine, FoldedRange, FoldOptions, FoldPorts } from './fold-session.ts'
export {
  isWindowHandler,
  type WindowHandler,
  type WindowInput,
  type WindowResult,
} from './fold-window.ts'
export { handledTypes } from './handled-types.ts'
export type { FoldHandler, FoldInput, FoldResult } from './handlers.ts'
export { ManualFolds } from './manual-folds.ts'
export { MEMO_INSTRUCTIONS } from './memo-keeper.ts'
export { endOutcomes, type FoldOutcome, joinOutcomes } from './outcome.ts'
export { DEFAULT_POLICY_TIMEOUT_MS, judgeWithOwn, PolicyFailures } from './own-policy.ts'
export { planNext, reachesFoldLimit } from './plan-next.ts'
export { FOLD_CONCURRENCY, FoldScheduler } from './scheduler.ts'
export { sessionPolicies } from './session-policy.ts'
export { SpendGuard, type SpendGuardReport } from './spend-guard.ts'
