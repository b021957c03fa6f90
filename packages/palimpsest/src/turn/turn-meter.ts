import { isAbort } from './is-abort.ts'
import type { StepFigures } from './sdk.ts'

export interface TurnUsage {
  readonly inputTokens: number
  /** The part of the input tokens that the provider had in its cache. */
  readonly cachedInputTokens: number
  readonly outputTokens: number
}

/**
 * What the calls of the model in one turn took, over all attempts. The meter listens to the model itself,
 * since the SDK tells nothing of an answer that threw. A model that is known only by its name cannot be
 * listened to; then the figures of the SDK count.
 */
export class TurnMeter {
  readonly #steps = new Map<string, MeteredStep>()

  /** Called before the model. The caller tells the result how the call goes. */
  begin(attempt: number, step: number): MeteredCall {
    const call = new MeteredCall()
    this.#step(attempt, step).calls.push(call)
    return call
  }

  /** Takes the SDK's figures for the steps of an attempt, in order. */
  tell(attempt: number, steps: readonly StepFigures[]): void {
    for (const [index, { usage }] of steps.entries()) {
      const told = usageIn(usage)
      if (told !== null) this.#step(attempt, index).told = told
    }
  }

  /** `null`: no provider gave figures. */
  get usage(): TurnUsage | null {
    const counted = [...this.#steps.values()].flatMap(countedIn)
    if (counted.length === 0) return null
    const sum = (field: keyof TurnUsage) => counted.reduce((total, usage) => total + usage[field], 0)
    return {
      inputTokens: sum('inputTokens'),
      cachedInputTokens: sum('cachedInputTokens'),
      outputTokens: sum('outputTokens'),
    }
  }

  /** Calls that the model began to answer, but whose figures are unknown. */
  get uncountedCalls(): number {
    const steps = [...this.#steps.values()].filter(
      ({ told, calls }) => told === null || calls.some(isCounted),
    )
    return steps.flatMap(({ calls }) => calls.filter(call => !call.isRefused && !isCounted(call))).length
  }

  #step(attempt: number, step: number): MeteredStep {
    const key = `${attempt}:${step}`
    const known = this.#steps.get(key) ?? { calls: [], told: null }
    this.#steps.set(key, known)
    return known
  }
}

interface MeteredStep {
  /** More than one where the SDK tried the step again. */
  readonly calls: MeteredCall[]
  told: TurnUsage | null
}

/** One call of the model. */
export class MeteredCall {
  usage: TurnUsage | null = null
  /** The provider refused the call. A refused call costs nothing. */
  isRefused = false

  /**
   * Takes the result of a model that does not stream, or the last part of a stream. Any other part has no
   * figures.
   */
  hear(part: unknown): void {
    this.usage = usageIn((part as { readonly usage?: unknown } | null)?.usage) ?? this.usage
  }

  fail(error: unknown): void {
    this.isRefused = !isAbort(error) && !isBrokenAnswer(error)
  }
}

/** The request went out, and no refusal came back. The provider may have answered it all the same. */
function isBrokenAnswer(error: unknown): boolean {
  const { url, statusCode } = (error ?? {}) as { readonly url?: unknown; readonly statusCode?: unknown }
  return typeof url === 'string' && (typeof statusCode !== 'number' || statusCode < 400)
}

function isCounted({ usage }: MeteredCall): boolean {
  return usage !== null
}

function countedIn({ calls, told }: MeteredStep): readonly TurnUsage[] {
  const heard = calls.flatMap(({ usage }) => usage ?? [])
  return heard.length > 0 || told === null ? heard : [told]
}

/**
 * Reads the SDK's own form and the forms of the models below it, old ones included. `null`: there are no
 * figures.
 */
function usageIn(usage: unknown): TurnUsage | null {
  const { inputTokens, outputTokens, inputTokenDetails, cachedInputTokens } = (usage ?? {}) as GivenUsage
  const input = numberIn(inputTokens, 'total')
  const output = numberIn(outputTokens, 'total')
  if (input === undefined && output === undefined) return null
  const cached =
    inputTokenDetails?.cacheReadTokens ?? cachedInputTokens ?? numberIn(inputTokens, 'cacheRead', null)
  return { inputTokens: input ?? 0, cachedInputTokens: cached ?? 0, outputTokens: output ?? 0 }
}

interface GivenUsage {
  readonly inputTokens?: GivenTokens
  readonly outputTokens?: GivenTokens
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number }
  readonly cachedInputTokens?: number
}

type GivenTokens = number | { readonly total?: number; readonly cacheRead?: number } | undefined

/** `bare`: what a plain number stands for; `null`: for nothing. */
function numberIn(
  tokens: GivenTokens,
  field: 'total' | 'cacheRead',
  bare: null | undefined = undefined,
): number | undefined {
  if (typeof tokens === 'number') return bare === null ? undefined : tokens
  const number = tokens?.[field]
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
