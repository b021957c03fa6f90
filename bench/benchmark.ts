import type { Fixtures } from './fixtures.ts'

export interface BenchmarkOptions {
  /** Fewer rounds and smaller logs: for a look, not for a verdict. */
  readonly quick: boolean
  /** The largest sizes too, which take many minutes to fill. */
  readonly large: boolean
  readonly fixtures: Fixtures
  readonly progress: (message: string) => void
}

export interface Benchmark {
  readonly name: string
  /** It takes so long that whoever wants it asks for it. */
  readonly onlyByName?: true
  /** A figure that misses its aim fails the run. */
  readonly mustReachAims?: true
  run(options: BenchmarkOptions): Promise<Result>
}

export interface Result {
  readonly figures: readonly Figure[]
}

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit:
    | 'ratio'
    | 'per second'
    | 'ms'
    | 'bytes'
    | 'MB'
    | 'MB/s'
    | 'tokens'
    | 'folds'
    | 'rows'
    | 'processes'
  readonly aim?: { readonly atLeast: number } | { readonly atMost: number }
}

export function reachesAim({ value, aim }: Figure): boolean | null {
  if (aim === undefined) return null
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost
}
