export { memoryToolsIn } from './guidance.ts'
export { renderRecentChanges } from './recent-changes.ts'
export { type LayerBudgets, renderLayers, toldLines } from './render-layers.ts'
