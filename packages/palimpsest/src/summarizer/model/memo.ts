import { estimateTokens } from '../../tokens/index.ts'
import type { MemoRequest } from '../summarizer.ts'
import { block, neutralize } from './neutralize.ts'

type MemoValue = Readonly<Record<string, unknown>>

/** The memo as it stands, what it is for, and what it has to look like where that can be said. */
export function memoBlocks({ instructions, schema }: MemoRequest, value: MemoValue): string[] {
  const shape = jsonSchemaOf(schema)
  const lines = instructions.map(each => `- ${neutralize(each).replaceAll('\n', '\n  ')}`)
  return [
    block('memo', inertJson(value)),
    ...(lines.length === 0 ? [] : [block('memo_instructions', lines.join('\n'))]),
    ...(shape === null ? [] : [block('memo_schema', inertJson(shape))]),
  ]
}

/** No tag can be in it, and it is still the same value: what comes back unchanged is unchanged. */
function inertJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').toWellFormed()
}

/** What a Standard Schema (zod and others) carries, as far as it is used here. */
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

/** `null`: there is none, or it cannot be told as one; then the instructions alone say what is wanted. */
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
 * A plain JSON schema is told to the model and checked by whoever stores the memo. What cannot be checked
 * does not pass.
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

/** It leaves room for the next piece; one that was larger before may stay as large. */
export function memoFits(memo: MemoValue, given: MemoValue, mostTokens: number): boolean {
  const tokens = estimateTokens(inertJson(memo))
  return tokens <= mostTokens || tokens <= estimateTokens(inertJson(given))
}
