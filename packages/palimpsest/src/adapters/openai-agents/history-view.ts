import type { AgentInputItem } from '@openai/agents'
import { BLOCK_NAMES, type BlockName } from '../../context/index.ts'
import type { Context, ContextOptions } from '../../contexts.ts'
import { PalimpsestError } from '../../errors.ts'
import type { Message } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import { fitInput, NOTHING_LEFT_OUT } from './fit-input.ts'
import type { ItemRules } from './items-of.ts'
import { memoryItem } from './memory-notes.ts'
import { measureItem } from './shorten-item.ts'
import { type ShownHistory, showHistory, thoughtsBefore } from './shown-history.ts'
import { toolDefinitions } from './tool-definitions.ts'

export interface ViewOptions extends Pick<ContextOptions, 'budget' | 'outputReserve'> {
  /** The agent's own tools, so that their share of the window is known before the first call. */
  readonly tools?: readonly unknown[]
  /**
   * The model in whose token counts the budget is meant. With it and with `inputFilter`, the counts are
   * learned from the model's usage.
   */
  readonly model?: string
}

/** The SDK stores question and answer at the end of a run. Until then they need room beside the history. */
const RUN_SHARE = 1 / 8
/**
 * Where items take more than a context counts for them, a smaller context is made. The steps are large, so
 * that it stays the same for long.
 */
const STEP_SHARE = 1 / 8
const MAX_STEPS = 3
/** The most thoughts that stand before one reply. */
const MAX_THOUGHTS = 16

/** What a model should be given of a session, in the way of contexts. */
export class HistoryView {
  readonly #chat: Session
  readonly #options: ViewOptions
  /** The instructions as the model gets them. */
  instructions: string | undefined
  memoryTools: readonly object[] = []
  #budget: number | null = null

  constructor(chat: Session, options: ViewOptions) {
    this.#chat = chat
    this.#options = options
  }

  async rules(): Promise<ItemRules> {
    const [info, language] = await Promise.all([this.#chat.info(), this.#chat.language()])
    return { kind: info?.kind ?? 'private', language }
  }

  /** `null`: there is no session yet. */
  async context(steps = 0): Promise<Context | null> {
    const { budget, model, outputReserve = 0, tools = [] } = this.#options
    try {
      this.#budget ??= budget ?? (await this.#chat.context()).report.budget
      const usualReserve = outputReserve + Math.floor(this.#budget * RUN_SHARE)
      return await this.#chat.context({
        reasoning: 'keep',
        outputReserve: usualReserve + Math.floor(this.#budget * STEP_SHARE * steps),
        usualReserve,
        tools: [...toolDefinitions(tools), ...this.memoryTools],
        ...(this.instructions !== undefined && { instructions: this.instructions }),
        ...(budget !== undefined && { budget }),
        ...(model !== undefined && { model }),
      })
    } catch (error) {
      if (hasCode(error, 'session_not_found')) return null
      throw error
    }
  }

  /**
   * The tokens of a whole request, as `estimateTokens` counts, without the room that is kept free for the
   * reply.
   */
  roomOf(context: Context): number {
    return roomFor(context, BLOCK_NAMES) - (this.#options.outputReserve ?? 0)
  }

  /**
   * The summary, and the items since. A context counts less for what it does not send, such as the model's
   * thoughts and pictures. Then a smaller context is made, and its summary holds what it no longer shows.
   */
  async items(): Promise<ShownHistory> {
    const usual = await this.context()
    if (usual === null) return { items: [], originals: [] }
    const room = roomFor(usual, [...CONVERSATION, 'session_memory'])
    let shown = await this.#shown(usual)
    for (let steps = 1; steps <= MAX_STEPS && total(shown.items) > room; steps++) {
      const smaller = await this.context(steps).catch(overflowIsNull)
      if (smaller === null) break
      shown = await this.#shown(smaller)
    }
    const { items } = fitInput(shown.items, {
      room,
      history: shown.items.length,
      earlier: NOTHING_LEFT_OUT,
      language: usual.language,
    })
    return { ...shown, items }
  }

  async #shown({ raw, sessionMemory, report, language }: Context): Promise<ShownHistory> {
    const messages = raw.fromSeq === null ? [] : await this.#messages(raw.fromSeq, report.throughSeq)
    const { items, originals } = showHistory(messages, raw, { ...(await this.rules()), language })
    const memory = sessionMemory === null ? [] : [memoryItem(sessionMemory, this.#chat.id)]
    return { items: [...memory, ...items], originals }
  }

  async #messages(fromSeq: number, throughSeq: number): Promise<readonly Message[]> {
    const messages = await this.#chat.messages({
      after: fromSeq - 1,
      before: throughSeq + 1,
      limit: Number.MAX_SAFE_INTEGER,
    })
    const [first] = messages
    if (first === undefined || first.role !== 'assistant' || first.seq === 1) return messages
    const before = await this.#chat.messages({ before: first.seq, limit: MAX_THOUGHTS, from: 'newest' })
    return [...thoughtsBefore(before, await this.rules()), ...messages]
  }
}

function total(items: readonly AgentInputItem[]): number {
  return items.reduce((sum, item) => sum + measureItem(item), 0)
}

function overflowIsNull(error: unknown): null {
  if (hasCode(error, 'context_overflow')) return null
  throw error
}

function hasCode(error: unknown, code: string): boolean {
  return PalimpsestError.isInstance(error) && error.code === code
}

const CONVERSATION: readonly BlockName[] = ['raw', 'current', 'recent_changes', 'recalled_memory', 'recall']

/** The room of a context for these blocks, as `estimateTokens` counts. */
function roomFor({ estimatedInputTokens, report }: Context, blocks: readonly BlockName[]): number {
  const sum = (isMeant: (name: BlockName) => boolean) =>
    report.blocks.reduce((sum, { name, tokens }) => (isMeant(name) ? sum + tokens : sum), 0)
  const counted = sum(name => name !== 'output_reserve')
  const ratio = counted === 0 ? 1 : estimatedInputTokens / counted
  return (report.budget - sum(name => !blocks.includes(name))) * ratio
}
