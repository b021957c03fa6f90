import type { AgentInputItem } from '@openai/agents'
import type { Content, ContentPart, Role } from '../../log/index.ts'

/** How items of the SDK stand in the log: `toMessage` writes this format and `toItem` reads it. */

/** An item as most of this folder sees it. It also holds the fields that a provider adds. */
export type Item = Readonly<Record<string, unknown>>

/** An item as a message of the log: one item is one message. */
export interface ItemMessage {
  readonly role: Role
  readonly content: Content
}

/** Kept beside a part: what the part itself does not say. Nothing is stored twice. */
export interface Extras {
  /** An item for which the log has no form. */
  readonly whole?: unknown
  /** The item's own fields. They stand on its first part. */
  readonly item?: Item
  /** The other fields of an entry in the item's content. */
  readonly entry?: Item
  /** The other fields of an entry in its raw content. */
  readonly raw?: Item
  /** The other fields of a tool's output, by entry. A single object: the output was one entry and no list. */
  readonly output?: Item | readonly Item[]
}

export type StoredPart = ContentPart & { readonly agents?: Extras }

interface LinkKind {
  /** Left out: the item itself names its tool. */
  readonly toolName?: string
  /** The fields that hold the call's input or the result's output. */
  readonly payload: readonly string[]
  /** The output consists of text, pictures and files. */
  readonly isContent?: boolean
  /** The item can have its id under any of several names. */
  readonly hasOwnId?: boolean
}

export const CALLS: Readonly<Record<string, LinkKind>> = {
  function_call: { payload: ['arguments'] },
  computer_call: { toolName: 'computer', payload: ['action', 'actions'] },
  shell_call: { toolName: 'shell', payload: ['action'] },
  apply_patch_call: { toolName: 'apply_patch', payload: ['operation'] },
  program: { toolName: 'program', payload: ['code'] },
  tool_search_call: { toolName: 'tool_search', payload: ['arguments'], hasOwnId: true },
}

export const RESULTS: Readonly<Record<string, LinkKind>> = {
  function_call_result: { payload: ['output'], isContent: true },
  computer_call_result: { toolName: 'computer', payload: ['output'], isContent: true },
  shell_call_output: { toolName: 'shell', payload: ['output'] },
  apply_patch_call_output: { toolName: 'apply_patch', payload: ['output'] },
  program_output: { toolName: 'program', payload: ['output'] },
  tool_search_output: { toolName: 'tool_search', payload: ['tools'], hasOwnId: true },
}

export function isRecord(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asItem(item: AgentInputItem): Item {
  return item as unknown as Item
}

export function without(item: Item, fields: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([field]) => !fields.includes(field)))
}

export function pick(item: Item, fields: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([field]) => fields.includes(field)))
}
