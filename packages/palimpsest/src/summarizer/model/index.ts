/** Light: it loads neither the extractive summariser nor the package `ai`. */
export type { LanguageModelLike } from './language-model.ts'
export { type ModelSummarizerOptions, modelSummarizer } from './model-summarizer.ts'
export type { ModelPrices } from './tally.ts'
