/** A thread that finds the terms of long texts. The terms fill its own memory, not that of the event loop. */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { runAtOnce } from '../slices.ts'
import type { IndexWork } from '../store/index.ts'
import { type Finished, listTerms, placesIn, type TermList } from './term-places.ts'

/** How many terms are wanted next. */
export type TermsQuestion = number

export type TermsAnswer = { readonly finished: readonly Finished[] } | { readonly terms: TermList }

// No request waits for this thread, so the event loop comes first when cores are few. Only on Linux a thread
// has its own priority.
try {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // The whole process already has a lower priority.
}

const say = (answer: TermsAnswer): void => parentPort!.postMessage(answer)

const { terms, finished } = runAtOnce(placesIn(workerData as IndexWork))
let place = 0
parentPort!.on('message', (count: TermsQuestion) => {
  say({ terms: listTerms(terms.slice(place, place + count)) })
  place += count
})
say({ finished })
