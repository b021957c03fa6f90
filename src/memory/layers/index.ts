export { memoryToolsIn } from './guidance.ts'
export { renderRecentChanges } from './recent-changes.ts'
export { type LayerBudgets, renderLayers } from './render-layers.ts'
