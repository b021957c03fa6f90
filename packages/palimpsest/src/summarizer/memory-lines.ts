import { comparable, undatedLine } from './memory-line.ts'
import type { ExtractedFact } from './summarizer.ts'

/** A line of the memory as it would be with all facts found so far. */
export interface MemoryLine {
  readonly text: string
}

interface Line extends MemoryLine {
  /** A fact with one of these keys says nothing new. */
  readonly keys: readonly string[]
  /** `null`: the memory had the line before. */
  readonly fact: Omit<ExtractedFact, 'replaces'> | null
  /** Indexes in the known memory of the lines that it stands for: its own, or those that it has replaced. */
  readonly places: readonly number[]
}

/**
 * The lines that a memory had, and the facts found since. A fact may replace an earlier fact. Then only the
 * later one is told, as if it had replaced what the earlier one did.
 */
export class MemoryLines {
  readonly #known: ReadonlySet<string>
  readonly #lines: Set<Line>
  readonly #keys = new Map<string, Line>()

  constructor(known: readonly string[]) {
    const keysOf = (text: string) => [comparable(text), comparable(undatedLine(text))]
    this.#lines = new Set(
      known.map((text, place) => ({ text, keys: keysOf(text), fact: null, places: [place] })),
    )
    for (const line of this.#lines) for (const key of line.keys) this.#keys.set(key, line)
    this.#known = new Set(this.#keys.keys())
  }

  /** Oldest first. */
  current(): MemoryLine[] {
    return [...this.#lines]
  }

  /** The line that says this, apart from case, marks and spaces. */
  find(text: string): MemoryLine | null {
    return this.#keys.get(comparable(text)) ?? null
  }

  /**
   * Lines of `replaced` that are no longer there were replaced before. `null`: the memory says the fact
   * already.
   */
  add(fact: Omit<ExtractedFact, 'replaces'>, replaced: readonly MemoryLine[]): MemoryLine | null {
    const key = comparable(fact.text)
    if (this.#keys.has(key)) return null
    const places: number[] = []
    for (const line of replaced as readonly Line[]) {
      if (!this.#lines.delete(line)) continue
      for (const old of line.keys) if (this.#keys.get(old) === line) this.#keys.delete(old)
      places.push(...line.places)
    }
    const line: Line = { text: fact.text, keys: [key], fact, places }
    this.#lines.add(line)
    this.#keys.set(key, line)
    return line
  }

  /**
   * In the order in which the facts were found. A line that the memory had at first, and that came back, is
   * no news.
   */
  facts(): ExtractedFact[] {
    return [...this.#lines].flatMap(({ fact, keys, places }) =>
      fact === null || this.#known.has(keys[0]!)
        ? []
        : [{ ...fact, replaces: places.toSorted((a, b) => a - b) }],
    )
  }
}
