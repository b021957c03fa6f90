export type { Figures } from './figures.ts'
export { measureRecall, type RecallReport, type SearchRecall } from './measure-recall.ts'
