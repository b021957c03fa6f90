export { askersOf } from './askers.ts'
export type { ToolDefinition } from './definitions.ts'
export {
  type AnthropicTool,
  MemoryTools,
  type OpenAITool,
  type SdkTool,
  type ToolOutput,
} from './memory-tools.ts'
