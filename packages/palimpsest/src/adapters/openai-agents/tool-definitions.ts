import { isRecord, pick } from './item-format.ts'

/** Tools of the SDK as the model is told of them: what they take of the window. */
export function toolDefinitions(tools: readonly unknown[]): readonly object[] {
  return tools.filter(isRecord).map(tool => pick(tool, ['type', 'name', 'description', 'parameters']))
}
