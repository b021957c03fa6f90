export { type Answering, type AskedAs, findQuestion, questionAt, sinceAsked } from './as-asked.ts'
export { type Assembled, assembleContext, type Beginning, type InterimPoints } from './assemble-context.ts'
export {
  BLOCK_NAMES,
  type BlockName,
  type CacheBreakpoints,
  type ContextParts,
  type ContextReport,
  type Omission,
  type RawRules,
} from './context.ts'
export { inert, inertId, inertName } from './inert.ts'
export { legendsOf, type Meaning, renderMeanings } from './legends.ts'
export type * from './model-message.ts'
export {
  type ContextSource,
  closingNote,
  type InterimPlan,
  planContext,
  type Renderer,
} from './plan-context.ts'
export { planRecall, RECALL_NEIGHBOURS, type Recalled, type RecallFound } from './plan-recall.ts'
export { isProviderCall, understands, withoutProviderTools } from './provider-tools.ts'
export {
  type ContextMessage,
  type RenderedMessage,
  type RenderedPart,
  renderMessage,
  senderName,
} from './render-message.ts'
export { headedText, originLabel } from './render-origin.ts'
export {
  type ContextSegment,
  type Pinned,
  renderSegment,
  type SeqRange,
  toldRanges,
} from './session-memory.ts'
export { shownTokens } from './shown-tokens.ts'
export type * from './to-anthropic.ts'
export { toAnthropic } from './to-anthropic.ts'
export type * from './to-openai.ts'
export { toOpenAI } from './to-openai.ts'
export { toText } from './to-text.ts'
export { toldTexts } from './told-texts.ts'
export { type FixedPart, fixedPart, type Layer, type View, type VolatileBlock } from './view.ts'
