import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LayerName, Store } from '../../packages/palimpsest/src/index.ts'
import type { ExtractionEngine } from '../../packages/palimpsest/src/memory/extraction/extract-session.ts'
import { extractSession } from '../../packages/palimpsest/src/memory/extraction/extract-session.ts'
import { layerBudgets } from '../../packages/palimpsest/src/memory/index.ts'
import { extractive, type Summarizer } from '../../packages/palimpsest/src/summarizer/index.ts'

/** What the tests of memory have in common: a clock, a folder, and extraction when they say so. */

export class Clock {
  now: number
  constructor(start = Date.UTC(2026, 2, 2, 9)) {
    this.now = start
  }
  readonly read = (): number => this.now
  pass({ days = 0, hours = 0, minutes = 0 }: { days?: number; hours?: number; minutes?: number }): void {
    this.now += ((days * 24 + hours) * 60 + minutes) * 60_000
  }
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-memory-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export interface ExtractorOptions {
  readonly store: Store
  readonly clock: () => number
  readonly namespace?: string
  readonly zone?: string
  readonly summarizer?: Summarizer
  readonly budgets?: Partial<Record<LayerName, number>>
  readonly scopeLearnsFrom?: 'shared' | 'all'
}

/** Reads what a session has that was not read yet, as the background would after each turn. */
export function extractor(options: ExtractorOptions): (sessionId: string) => Promise<void> {
  const { store, clock, namespace = 'default', zone = 'UTC', summarizer = extractive(), ...rest } = options
  const { budgets, scopeLearnsFrom = 'shared' } = rest
  const engine: ExtractionEngine = {
    store,
    namespace,
    zone,
    language: 'auto',
    clock,
    summarizer,
    layerBudgets: layerBudgets(budgets),
    memoryOwners: new Set(),
    ownerSharesIn: 'private',
    owner: 'extractor',
    noteChange: () => {},
    onError: error => {
      throw error
    },
    extraction: { when: 'turn', scopeLearnsFrom, batchMessages: 1, idleMs: 0 },
    summarizerTimeoutMs: 60_000,
  }
  const { signal } = new AbortController()
  return async sessionId => {
    while ((await extractSession(engine, { namespace, id: sessionId }, signal)) === 'more');
  }
}
