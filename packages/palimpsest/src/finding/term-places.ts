import { searchableText } from '../log/index.ts'
import { countTermsInSteps, ManyTerms } from '../search/index.ts'
import type { InSteps } from '../slices.ts'
import type { IndexWork, IndexWrite } from '../store/index.ts'

/** For each term, the messages that hold it and how often. For each message, how many terms it has. */
export interface TermPlaces {
  /** In the order of the database. */
  readonly terms: readonly (readonly [term: string, places: Places])[]
  readonly finished: readonly Finished[]
}

/**
 * How often the term stands in each message. Most words of a long text stand in one message only, and a map
 * for each word would take ten times the memory.
 */
type Places = readonly [seq: number, count: number] | Map<number, number>

export type Finished = NonNullable<IndexWrite['finish']>['messages'][number]

/** The terms as they are written to the database. */
export type TermList = readonly (readonly [
  term: string,
  places: readonly (readonly [seq: number, count: number])[],
])[]

export function listTerms(terms: TermPlaces['terms']): TermList {
  return terms.map(([term, places]) => [term, places instanceof Map ? [...places] : [places]])
}

const STEP_TERMS = 1_000

/** If an edited message no longer holds a term, the term is removed from it. */
export function* placesIn(work: IndexWork): InSteps<TermPlaces> {
  const places = new ManyTerms<Places>()
  let steps = 0
  const put = (term: string, seq: number, count: number) => {
    const ofTerm = places.get(term)
    if (ofTerm === undefined) places.set(term, [seq, count])
    else if (ofTerm instanceof Map) ofTerm.set(seq, count)
    else places.set(term, new Map([ofTerm, [seq, count]]))
    return ++steps % STEP_TERMS === 0
  }
  for (const { seq, earlier } of work.edited)
    for (const content of earlier)
      for (const term of (yield* countTermsInSteps(searchableText(content))).keys())
        if (put(term, seq, 0)) yield
  const finished: Finished[] = []
  const messages = new Map([...work.messages, ...work.edited].map(message => [message.seq, message]))
  for (const { seq, role, senderId, at, content } of messages.values()) {
    let length = 0
    for (const [term, count] of yield* countTermsInSteps(searchableText(content))) {
      length += count
      if (put(term, seq, count)) yield
    }
    finished.push({ seq, role, senderId, at, length })
  }
  const terms: (readonly [string, Places])[] = []
  for (const entry of places) if (terms.push(entry) % STEP_TERMS === 0) yield
  return { terms: yield* inOrder(terms), finished }
}

/** Sorts in runs and then merges them two by two, so that a pause is possible between any two steps. */
function* inOrder<Value>(
  entries: readonly (readonly [string, Value])[],
): InSteps<(readonly [string, Value])[]> {
  let runs: (readonly [string, Value])[][] = []
  for (let from = 0; from < entries.length; from += STEP_TERMS) {
    runs.push(entries.slice(from, from + STEP_TERMS).sort(([one], [other]) => (one < other ? -1 : 1)))
    yield
  }
  while (runs.length > 1) {
    const merged: typeof runs = []
    for (let place = 0; place < runs.length; place += 2)
      merged.push(yield* mergeTwo(runs[place]!, runs[place + 1] ?? []))
    runs = merged
  }
  return runs[0] ?? []
}

function* mergeTwo<Value>(
  first: readonly (readonly [string, Value])[],
  second: readonly (readonly [string, Value])[],
): InSteps<(readonly [string, Value])[]> {
  const merged: (readonly [string, Value])[] = []
  for (let [left, right] = [0, 0]; left < first.length || right < second.length; ) {
    const isFirst = right === second.length || (left < first.length && first[left]![0] < second[right]![0])
    merged.push(isFirst ? first[left++]! : second[right++]!)
    if (merged.length % STEP_TERMS === 0) yield
  }
  return merged
}
