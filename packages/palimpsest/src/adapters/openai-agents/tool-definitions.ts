import { isRecord, pick } from './item-format.ts'

/** The SDK's tools as the model is told of them, to measure what they take of the window. */
export function toolDefinitions(tools: readonly unknown[]): readonly object[] {
  return tools.filter(isRecord).map(tool => pick(tool, ['type', 'name', 'description', 'parameters']))
}
