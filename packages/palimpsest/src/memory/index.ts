export { LAYER_BUDGETS, layerBudgets } from './budgets.ts'
export type { MemoryEngine } from './engine.ts'
export type { ExtractionEngine, ExtractionReport } from './extraction/extract-session.ts'
export { ExtractionScheduler } from './extraction/extraction-scheduler.ts'
export { checkDocumentKey, Memories } from './memories.ts'
export { type MemoryContent, MemoryDocument, type WriteOptions } from './memory-document.ts'
export {
  type AnthropicTool,
  MemoryTools,
  type OpenAITool,
  type SdkTool,
  type ToolDefinition,
  type ToolOutput,
} from './tools/index.ts'
export type { SyncResult } from './workspace/index.ts'
