import { estimateTokens } from '../../tokens/index.ts'
import type { MemoRequest } from '../summarizer.ts'
import { block, neutralize } from './neutralize.ts'

type MemoValue = Readonly<Record<string, unknown>>

/** The memo as it stands, its instructions, and its schema where that can be told. */
export function memoBlocks({ instructions, schema }: MemoRequest, value: MemoValue): string[] {
  const shape = jsonSchemaOf(schema)
  const lines = instructions.map(each => `- ${neutralize(each).replaceAll('\n', '\n  ')}`)
  return [
    block('memo', inertJson(value)),
    ...(lines.length === 0 ? [] : [block('memo_instructions', lines.join('\n'))]),
    ...(shape === null ? [] : [block('memo_schema', inertJson(shape))]),
  ]
}

/** The JSON can hold no tag and keeps its value, so that a memo that comes back unchanged is unchanged. */
function inertJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').toWellFormed()
}

/** What a Standard Schema (zod and others) carries, as far as this code uses it. */
interface StandardSchema {
  readonly '~standard': {
    readonly validate: (value: unknown) => unknown
    readonly jsonSchema?: { readonly input: (options: { target: string }) => unknown }
  }
}

function isStandard(schema: unknown): schema is StandardSchema {
  return (
    (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
  )
}

/**
 * `null`: there is no schema, or it cannot be told as JSON schema. Then the instructions alone say what is
 * wanted.
 */
function jsonSchemaOf(schema: unknown): unknown {
  if (schema === undefined || schema === null) return null
  if (!isStandard(schema)) return schema
  try {
    return schema['~standard'].jsonSchema?.input({ target: 'draft-07' }) ?? null
  } catch {
    return null
  }
}

/**
 * A plain JSON schema passes here: the model is told it, and the code that stores the memo checks it. A memo
 * that cannot be checked does not pass.
 */
export async function memoSatisfies(schema: unknown, memo: MemoValue): Promise<boolean> {
  if (!isStandard(schema)) return true
  try {
    const result = (await schema['~standard'].validate(memo)) as { readonly issues?: unknown }
    return result.issues === undefined
  } catch {
    return false
  }
}

/** Whether the memo leaves room for the next piece. A memo that was larger before may stay as large. */
export function memoFits(memo: MemoValue, given: MemoValue, mostTokens: number): boolean {
  const tokens = estimateTokens(inertJson(memo))
  return tokens <= mostTokens || tokens <= estimateTokens(inertJson(given))
}
