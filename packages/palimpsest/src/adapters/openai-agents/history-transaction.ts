import type { AgentInputItem, SessionHistoryTransaction, SessionHistoryTransactionArgs } from '@openai/agents'
import { InvalidArgumentError } from '../../errors.ts'
import { isRecord } from './item-format.ts'

/** A transaction of the SDK: the items that it takes back, and the items that it adds. */
export interface HistoryChange {
  readonly operationId: string
  readonly expected: readonly AgentInputItem[]
  readonly added: readonly AgentInputItem[]
}

const FIELDS: Readonly<Record<SessionHistoryTransaction['type'], readonly string[]>> = {
  append_items: ['items'],
  replace_suffix: ['expectedSuffix', 'replacement'],
}

/** Checks everything before anything is changed. */
export function readTransaction(args: SessionHistoryTransactionArgs): HistoryChange {
  const { operationId, transaction } = isRecord(args) ? args : {}
  if (typeof operationId !== 'string' || operationId.trim() === '')
    throw new InvalidArgumentError('operationId', operationId, 'text that is not empty')
  const { type, ...lists } = isRecord(transaction) ? transaction : { type: undefined }
  const fields = Object.hasOwn(FIELDS, String(type)) ? FIELDS[type as keyof typeof FIELDS] : undefined
  if (fields === undefined)
    throw new InvalidArgumentError('transaction.type', type, Object.keys(FIELDS).join(', '))
  const unknown = Object.keys(lists).find(field => !fields.includes(field))
  if (unknown !== undefined)
    throw new InvalidArgumentError('transaction', unknown, `the fields type, ${fields.join(', ')}`)
  const [first, second] = fields.map(field => checkItems(field, (lists as Record<string, unknown>)[field]))
  return { operationId, expected: second ? first! : [], added: second ?? first! }
}

function checkItems(field: string, value: unknown): readonly AgentInputItem[] {
  if (!Array.isArray(value) || !value.every(isRecord))
    throw new InvalidArgumentError(`transaction.${field}`, value, 'a list of items')
  return value as unknown as readonly AgentInputItem[]
}
