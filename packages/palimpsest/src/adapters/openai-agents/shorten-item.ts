import type { AgentInputItem } from '@openai/agents'
import { attachmentsWithin, type Clip, clipper } from '../../context/clip-parts.ts'
import { type Language, textsOf } from '../../language/index.ts'
import { isAttachment } from '../../log/index.ts'
import { estimateTokens, MESSAGE_OVERHEAD_TOKENS, measureMessage } from '../../tokens/index.ts'
import { asItem, isRecord, type StoredPart } from './item-format.ts'
import { toItem } from './to-item.ts'
import { toMessage } from './to-message.ts'

/** Makes items shorter, in the forms that providers take. An item that cannot be shortened stays as it is. */

/** A shorter result is not worth a note in its place. */
const MIN_STUBBED_TOKENS = 60

export function measureItem(item: AgentInputItem): number {
  return measureMessage({ content: toMessage(item).content, sender: null }).tokens
}

export function isResult(item: AgentInputItem): boolean {
  return toMessage(item).role === 'tool'
}

/** Where the whole item can be read. */
export interface Where {
  /** The message of the item; `null`: the note does not name it. */
  readonly seq: number | null
  /** The language of the note. */
  readonly language: Language
}

/** The result with a note in place of the tool's output. */
export function stubResult(item: AgentInputItem, where: Where): AgentInputItem {
  const text = resultText(item)
  if (estimateTokens(text) < MIN_STUBBED_TOKENS) return item
  const note = textsOf(where.language).messages.resultLeftOut(text.length, where.seq)
  return smaller(
    withOutput(item, () => note),
    item,
  )
}

/** The item within about this many tokens: the head and the tail of each text. */
export function clipItem(item: AgentInputItem, tokens: number, where: Where): AgentInputItem {
  return measureItem(item) <= tokens
    ? item
    : smaller(clipped(item, tokens - MESSAGE_OVERHEAD_TOKENS, where), item)
}

/** A note in place of a short text may be longer than the text. */
function smaller(short: AgentInputItem, item: AgentInputItem): AgentInputItem {
  return measureItem(short) < measureItem(item) ? short : item
}

function clipped(item: AgentInputItem, tokens: number, where: Where): AgentInputItem {
  const { role, content } = toMessage(item)
  const parts: readonly StoredPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const clip = clipper(parts, tokens, where)
  if (role === 'tool') return withOutput(item, clip)
  if (asItem(item)['type'] === 'function_call') return withArguments(item, clip)
  if (parts.every(part => part.type !== 'text' && !isAttachment(part))) return item
  const kept = attachmentsWithin(parts, tokens / 2)
  const shown = parts.map(part => {
    if (part.type === 'text') return { ...part, text: clip(part.text) }
    if (!isAttachment(part) || kept.has(part)) return part
    return namedAttachment(part, { role, language: where.language })
  })
  const isPlain = typeof content === 'string'
  const shortened = isPlain ? (shown[0] as { text: string }).text : shown
  return toItem({ role, content: shortened }) ?? item
}

function namedAttachment(
  part: StoredPart,
  { role, language }: { readonly role: string; readonly language: Language },
): StoredPart {
  const { attachments } = textsOf(language).messages
  const kind = Object.hasOwn(attachments, part.type)
    ? attachments[part.type as keyof typeof attachments]
    : part.type
  const { filename } = part as { filename?: unknown }
  const name = typeof filename === 'string' ? `: ${filename}` : ''
  const entry = { type: role === 'assistant' ? 'output_text' : 'input_text' }
  return { type: 'text', text: `(${kind}${name})`, agents: { ...part.agents, entry } } as StoredPart
}

function resultText(item: AgentInputItem): string {
  const { output } = asItem(item)
  if (typeof output === 'string') return output
  return asItem(item)['type'] === 'computer_call_result' ? '' : (JSON.stringify(output) ?? '')
}

/** Each kind of result has its own form. From pictures and lists of tools nothing can be left out. */
function withOutput(item: AgentInputItem, shorten: Clip): AgentInputItem {
  const { type, output } = asItem(item)
  switch (type) {
    case 'function_call_result':
    case 'apply_patch_call_output':
    case 'program_output':
      return changed(item, {
        output: typeof output === 'string' ? shorten(output) : shortEntries(output, shorten),
      })
    case 'shell_call_output':
      return changed(item, { output: shortOutputs(output, shorten) })
    default:
      return item
  }
}

/** Entries that are no text are only named: they are large, or else the output would need no shortening. */
function shortEntries(output: unknown, shorten: Clip): unknown {
  const entries = Array.isArray(output) ? output : [output]
  const texts = entries.flatMap(entry =>
    isRecord(entry) && typeof entry['text'] === 'string' ? [entry['text']] : [`(${String(entry?.type)})`],
  )
  return shorten(texts.join('\n'))
}

function shortOutputs(output: unknown, shorten: Clip): unknown {
  if (!Array.isArray(output)) return output
  return output.map(entry => {
    if (!isRecord(entry)) return entry
    const { stdout, stderr } = entry
    return {
      ...entry,
      ...(typeof stdout === 'string' && { stdout: shorten(stdout) }),
      ...(typeof stderr === 'string' && stderr !== '' && { stderr: shorten(stderr) }),
    }
  })
}

/** Providers take only JSON as arguments. */
function withArguments(item: AgentInputItem, clip: Clip): AgentInputItem {
  const { arguments: given } = asItem(item)
  if (typeof given !== 'string') return item
  const short = clip(given)
  return short === given ? item : changed(item, { arguments: JSON.stringify({ clipped: short }) })
}

function changed(item: AgentInputItem, fields: Readonly<Record<string, unknown>>): AgentInputItem {
  return { ...item, ...fields } as AgentInputItem
}
