import type { Json } from './json.ts'
import { inPieces } from './protocol.ts'

type ContentPart =
  | {
      readonly type: 'output_text'
      readonly text: string
      readonly annotations: readonly never[]
      readonly logprobs: readonly never[]
    }
  | { readonly type: 'refusal'; readonly refusal: string }

interface MessageItem {
  readonly type: 'message'
  readonly id: string
  readonly role: 'assistant'
  readonly status: string
  readonly content: readonly ContentPart[]
}

interface FunctionCallItem {
  readonly type: 'function_call'
  readonly id: string
  readonly call_id: string
  readonly name: string
  readonly arguments: string
  readonly status: string
}

interface ReasoningItem {
  readonly type: 'reasoning'
  readonly id: string
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[]
  readonly encrypted_content?: string
}

export type OutputItem = MessageItem | FunctionCallItem | ReasoningItem

/** The stream events of one item of a response: they announce it, fill it and close it. */
export function itemEvents(item: OutputItem, outputIndex: number): readonly Json[] {
  const place = { output_index: outputIndex }
  return [
    { type: 'response.output_item.added', ...place, item: emptied(item) },
    ...filling(item, { ...place, item_id: item.id }),
    { type: 'response.output_item.done', ...place, item },
  ]
}

function emptied(item: OutputItem): Json {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] }
  if (item.type === 'function_call') return { ...item, status: 'in_progress', arguments: '' }
  return { ...item, summary: [] }
}

function filling(item: OutputItem, place: Json): readonly Json[] {
  if (item.type === 'message')
    return item.content.flatMap((part, index) => partEvents(part, { ...place, content_index: index }))
  if (item.type === 'reasoning')
    return item.summary.flatMap((part, index) => summaryEvents(part, { ...place, summary_index: index }))
  const type = 'response.function_call_arguments'
  return [
    ...inPieces(item.arguments).map(delta => ({ type: `${type}.delta`, ...place, delta })),
    { type: `${type}.done`, ...place, name: item.name, arguments: item.arguments },
  ]
}

function partEvents(part: ContentPart, place: Json): readonly Json[] {
  const isText = part.type === 'output_text'
  const type = isText ? 'response.output_text' : 'response.refusal'
  const extra = isText ? { logprobs: [] } : {}
  const pieces = inPieces(isText ? part.text : part.refusal)
  const empty = isText ? { ...part, text: '' } : { ...part, refusal: '' }
  const whole = isText ? { text: part.text } : { refusal: part.refusal }
  return [
    { type: 'response.content_part.added', ...place, part: empty },
    ...pieces.map(delta => ({ type: `${type}.delta`, ...place, delta, ...extra })),
    { type: `${type}.done`, ...place, ...whole, ...extra },
    { type: 'response.content_part.done', ...place, part },
  ]
}

function summaryEvents(part: ReasoningItem['summary'][number], place: Json): readonly Json[] {
  const type = 'response.reasoning_summary_text'
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...inPieces(part.text).map(delta => ({ type: `${type}.delta`, ...place, delta })),
    { type: `${type}.done`, ...place, text: part.text },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ]
}
