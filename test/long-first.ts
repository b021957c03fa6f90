import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { DURATIONS_FILE, ROOT } from './note-durations.ts'

/**
 * The longest files before all others: begun last, one of them would run on alone at the end. A file that is not in the
 * list takes no time worth mentioning, and keeps the order that Vitest gives it.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds: Readonly<Record<string, number>> = JSON.parse(readFileSync(DURATIONS_FILE, 'utf8'))
    const secondsOf = ({ moduleId }: TestSpecification) => seconds[relative(ROOT, moduleId)] ?? 0
    const order = await super.sort(files)
    return order.toSorted((one, other) => secondsOf(other) - secondsOf(one))
  }
}
