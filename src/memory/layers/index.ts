export { renderCorrections } from './corrections.ts'
export { memoryToolsIn } from './guidance.ts'
export { renderRecentChanges, withCorrections } from './recent-changes.ts'
export { type LayerBudgets, renderLayers, toldLines } from './render-layers.ts'
