import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

export const ROOT = join(import.meta.dirname, '..')
export const DURATIONS_FILE = join(import.meta.dirname, 'durations.json')
/** Less than that may come at any time. */
const MIN_SECONDS = 3

/** Writes down how long the files take that take long, for the order of the next runs: `npm run test:durations`. */
export default class NoteDurations implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const seconds = modules
      .map(module => [relative(ROOT, module.moduleId), secondsOf(module)] as const)
      .filter(([, taken]) => taken >= MIN_SECONDS)
      .sort(([one, its], [other, others]) => others - its || one.localeCompare(other))
    writeFileSync(DURATIONS_FILE, `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`)
  }
}

function secondsOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic()
  return Math.round((collectDuration + duration) / 1_000)
}
