import type { FoldOutcome } from 'palimpsest/internals/compaction/index'
import type { ExtractionReport } from 'palimpsest/internals/memory/index'
import type { Usage } from 'palimpsest/internals/summarizer/index'
import type { FinishedTurn } from 'palimpsest/internals/turn/index'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { reasonLabel, typeLabel } from './metrics-labels.ts'
import { processMetrics } from './metrics-process.ts'

/** The bounds of the histograms, in seconds: from 1 ms to a minute. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/**
 * The metrics of one namespace in this process. Each namespace has its own registry, so that no key sees the
 * figures of another namespace. A label is always one of our own words, never an id or a text that a caller
 * sent, so the number of labels is bounded.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = this.#counter('http_requests_total', 'Requests that were answered', [
    'method',
    'route',
    'status',
  ])
  readonly #requestSeconds = this.#histogram('http_request_duration_seconds', 'Time up to an answer', [
    'method',
    'route',
  ])
  readonly #messages = this.#counter('messages_appended_total', 'Messages that were sent to be stored', [
    'result',
  ])
  readonly #folds = this.#counter('folds_total', 'Folds, by how they ended and why', [
    'outcome',
    'type',
    'reason',
  ])
  readonly #foldSeconds = this.#histogram('fold_duration_seconds', 'Time of folds that were begun', [
    'outcome',
  ])
  readonly #tokensBefore = this.#counter('fold_tokens_before_total', 'Tokens of what was folded')
  readonly #tokensAfter = this.#counter('fold_tokens_after_total', 'Tokens of what stands for it now')
  readonly #tokensSaved = this.#counter('tokens_saved_total', 'Tokens that a context has less for its folds')
  readonly #calls = this.#counter('summarizer_calls_total', 'Calls of the summariser', ['purpose'])
  readonly #tokens = this.#counter('summarizer_tokens_total', 'Tokens that the summariser took', [
    'purpose',
    'kind',
  ])
  readonly #spendGuard = this.#counter(
    'spend_guard_total',
    'What was done without the model, to spend no more',
    ['purpose', 'scope', 'unit'],
  )
  readonly #answers = this.#counter('answers_total', 'Answers of the model to chat completions', ['status'])
  readonly #answerTokens = this.#counter('answer_tokens_total', 'Tokens that these took', ['kind'])
  readonly #uncounted = this.#counter(
    'answer_calls_uncounted_total',
    'Calls of the model that no provider told the tokens of',
  )
  readonly #extractions = this.#counter('extractions_total', 'Extractions of memory', ['layer', 'outcome'])
  readonly #facts = this.#counter('facts_learned_total', 'Facts that were new to memory', ['layer'])
  readonly #listeners = this.#gauge('event_listeners', 'Clients that listen to events')
  readonly #build = this.#gauge('build_info', 'The version that runs; always 1', ['version'])

  constructor() {
    processMetrics(this.#registry)
    for (const result of ['new', 'duplicate']) this.#messages.inc({ result }, 0)
  }

  /**
   * Notes the start of a call. The caller calls the returned function with
   * the status when the call has ended.
   */
  begin({
    method,
    path: route,
  }: {
    readonly method: string
    readonly path: string
  }): (status: number) => void {
    const started = performance.now()
    const labels = { method: method.toUpperCase(), route }
    return status => {
      this.#requests.inc({ ...labels, status })
      this.#requestSeconds.observe(labels, (performance.now() - started) / 1000)
    }
  }

  appended({ added, duplicates }: { readonly added: number; readonly duplicates: number }): void {
    this.#messages.inc({ result: 'new' }, added)
    this.#messages.inc({ result: 'duplicate' }, duplicates)
  }

  folded(folded: FoldOutcome): void {
    const { outcome, type, reason, tokensBefore, tokensAfter, durationMs, usage } = folded
    this.#folds.inc({ outcome, type: typeLabel(type), reason: reasonLabel(reason) })
    if (outcome !== 'skipped') this.#foldSeconds.observe({ outcome }, Math.max(0, durationMs) / 1000)
    if (outcome === 'applied') {
      this.#tokensBefore.inc(tokensBefore)
      this.#tokensAfter.inc(tokensAfter)
      this.#tokensSaved.inc(Math.max(0, tokensBefore - tokensAfter))
    }
    this.#used('fold', usage)
    this.#limited('fold', folded.spendGuard)
  }

  extracted(report: ExtractionReport): void {
    const { layer, facts, usage, spendGuard } = report
    this.#extractions.inc({ layer, outcome: extractionOutcome(report) })
    this.#facts.inc({ layer }, facts)
    this.#used('extraction', usage)
    this.#limited('extraction', spendGuard)
  }

  /** Notes an answer of the model that has ended. It is stored as far as it came. */
  answered({
    status,
    usage,
    uncountedCalls = 0,
  }: Pick<FinishedTurn, 'status' | 'usage' | 'uncountedCalls'>): void {
    this.#answers.inc({ status })
    this.#uncounted.inc(uncountedCalls)
    if (usage === null) return
    this.#answerTokens.inc({ kind: 'input' }, usage.inputTokens)
    this.#answerTokens.inc({ kind: 'cached_input' }, usage.cachedInputTokens)
    this.#answerTokens.inc({ kind: 'output' }, usage.outputTokens)
  }

  /** All metrics in the format of Prometheus. */
  async report(now: { readonly listeners: number; readonly version: string }) {
    this.#listeners.set(now.listeners)
    this.#build.set({ version: now.version }, 1)
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() }
  }

  #limited(purpose: 'fold' | 'extraction', limit: FoldOutcome['spendGuard']): void {
    if (limit) this.#spendGuard.inc({ purpose, scope: limit.scope, unit: limit.unit })
  }

  #used(purpose: 'fold' | 'extraction', usage: Usage | null): void {
    if (usage === null) return
    this.#calls.inc({ purpose }, usage.calls)
    this.#tokens.inc({ purpose, kind: 'input' }, usage.inputTokens)
    this.#tokens.inc({ purpose, kind: 'cached_input' }, usage.cachedInputTokens)
    this.#tokens.inc({ purpose, kind: 'output' }, usage.outputTokens)
  }

  #counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter({ name: `palimpsest_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
    const registers = [this.#registry]
    return new Histogram({ name: `palimpsest_${name}`, help, labelNames, buckets: BUCKETS, registers })
  }

  #gauge<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Gauge({ name: `palimpsest_${name}`, help, labelNames, registers: [this.#registry] })
  }
}

/** `not_asked`: there was nothing that a model had to read. `waits`: the spending limit is reached. */
function extractionOutcome({ facts, usage, spendGuard }: ExtractionReport): string {
  if (spendGuard) return 'waits'
  if (facts > 0) return 'learned'
  return usage === null ? 'not_asked' : 'nothing_new'
}
