import type { Run } from '../comparison.ts'

const COLOURS = 8

/** A run as the page shows it: with the same colour and place in every picture. */
export interface ShownRun {
  readonly run: Run
  readonly look: string
  /** A policy's name. `subtitle` holds the settings that were changed: `budget=8000 lowWater=0.5`. */
  readonly title: string
  readonly subtitle: string | null
}

/** By cost, the cheapest first. */
export function showRuns(runs: readonly Run[]): ShownRun[] {
  const counts = { policy: 0, baseline: 0 }
  return runs
    .map(run => {
      counts[run.kind] += 1
      const number = ((counts[run.kind] - 1) % COLOURS) + 1
      const repeated = counts[run.kind] > COLOURS ? ' repeated' : ''
      return { run, look: `${run.kind} ${run.kind}-${number}${repeated}`, ...splitName(run) }
    })
    .sort((a, b) => a.run.cost.total - b.run.cost.total)
}

function splitName(run: Run): { title: string; subtitle: string | null } {
  if (run.kind === 'baseline') return { title: run.name, subtitle: 'baseline' }
  const prefix = `${run.policy} `
  return run.name.startsWith(prefix)
    ? { title: run.policy!, subtitle: run.name.slice(prefix.length) }
    : { title: run.name, subtitle: null }
}
