export { contextBudget, rawBegins } from './context-window.ts'
export { BUILT_IN_TYPES, type Decision, readDecision, withHandler } from './decision.ts'
export { findCutPoint } from './find-cut-point.ts'
export {
  type FoldPlan,
  type FoldRange,
  isPlanFinal,
  type PlanInput,
  planChapter,
  planFold,
  planOldest,
  stateAfterFold,
} from './plan.ts'
export {
  type Boundary,
  type CustomJudge,
  compose,
  custom,
  type Force,
  forcedDecision,
  judge,
  judgeAll,
  MAX_DUE_MS,
  type Policy,
  policyFor,
  secondsUntilDue,
  type Verdict,
  verdictAt,
} from './policy.ts'
export { describeSeveral, presetsOfNumbers } from './preset-of-numbers.ts'
export {
  count,
  PRESET_NAMES,
  PRESETS,
  type PresetName,
  type PresetSettings,
  presetFromSettings,
  readPresetName,
  resize,
  rounds,
  tokens,
  window,
} from './presets.ts'
export type { RawMessage } from './raw-message.ts'
export { rebuildDelay } from './rebuild-delay.ts'
export type { Extent, Rule, TurnUnit } from './rules.ts'
export {
  DEFAULT_VERBATIM_BELOW_TOKENS,
  MAX_VERBATIM_BELOW_TOKENS,
  type SegmentLimits,
  segmentLimits,
  summaryTokens,
} from './segment-limits.ts'
export { describeParameter, type Parameter, readParameter, type SettingsInput } from './settings.ts'
export {
  type Amount,
  type Figures,
  type FoldState,
  type Head,
  INITIAL_FOLD_STATE,
  isBackingOff,
  MAX_BACKOFF_MS,
  measure,
  type Snapshot,
} from './snapshot.ts'
export { asksForTail, countLargestTail, type Tail, takeSnapshot, type Unread } from './tail.ts'
