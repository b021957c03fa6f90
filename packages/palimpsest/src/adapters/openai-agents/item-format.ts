import type { AgentInputItem } from '@openai/agents'
import type { Content, ContentPart, Role } from '../../log/index.ts'

/** How items of the SDK stand in the log: what `toMessage` writes and `toItem` reads. */

/** An item as far as most of this folder looks at it: whatever a provider adds is in it too. */
export type Item = Readonly<Record<string, unknown>>

/** An item as a message of the log: each is one. */
export interface ItemMessage {
  readonly role: Role
  readonly content: Content
}

/** What the part itself does not say, beside it: nothing is stored twice. */
export interface Extras {
  /** An item for which the log has no form. */
  readonly whole?: unknown
  /** The item's own fields, on its first part. */
  readonly item?: Item
  /** Of an entry of the item's content. */
  readonly entry?: Item
  /** Of an entry of its raw content. */
  readonly raw?: Item
  /** Of what a tool gave, by entry; one that is no list was one entry. */
  readonly output?: Item | readonly Item[]
}

export type StoredPart = ContentPart & { readonly agents?: Extras }

interface LinkKind {
  /** Left out: the item names its tool. */
  readonly toolName?: string
  /** The fields that are the call's input or the result's output. */
  readonly payload: readonly string[]
  /** The output is text, pictures and files. */
  readonly isContent?: boolean
  /** Where its id stands has several names. */
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
