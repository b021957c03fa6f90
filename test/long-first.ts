import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes half a minute or more, the longest first: begun last, one of them would run on alone at the end. */
const LONG = [
  'test/faults/fold.test.ts',
  'test/memory/canary.test.ts',
  'test/context/properties.test.ts',
  'test/memory/concurrent-writes.test.ts',
  'test/memory/kill.test.ts',
  'src/store/postgres/postgres.test.ts',
  'test/scenarios/long-conversation.test.ts',
  'test/lab/default-policy.test.ts',
  'test/context/isolation.test.ts',
  'test/package.test.ts',
]

/** The long ones before all others, which keep the order that Vitest gives them. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = await super.sort(files)
    return order.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex(name => moduleId.endsWith(`/${name}`))
  return place === -1 ? LONG.length : place
}
