import { modelText } from '../log/index.ts'
import { runInSlices } from '../slices.ts'
import type { IndexWork } from '../store/index.ts'
import { type Finished, listTerms, placesIn, type TermList } from './term-places.ts'
import type { TermsAnswer, TermsQuestion } from './terms-thread.ts'

/** The terms in the messages of an `IndexWork`. */
export interface FoundTerms {
  readonly finished: readonly Finished[]
  /** The next terms, in the order of the database. Fewer than `count`: there are no more. */
  readonly next: (count: number) => Promise<TermList>
  readonly close: () => Promise<void>
}

/** Above this many characters, a thread finds the terms. */
const MAX_HERE = 250_000

/** The file in the sources, or the file in the build. */
const THREAD = import.meta.url.endsWith('.ts')
  ? new URL('./terms-thread.ts', import.meta.url)
  : new URL('./terms-thread.js', import.meta.url)

/**
 * A book has hundreds of thousands of words. Working in slices is not enough: while the words are in memory,
 * the garbage collector visits each of them and stops its thread for a tenth of a second. So another thread
 * does the work.
 */
export async function findTerms(work: IndexWork, signal: AbortSignal): Promise<FoundTerms> {
  if (charactersOf(work) > MAX_HERE) {
    const found = await findInThread(work, signal).catch(() => null)
    // A bundler may have left out the thread's file. Then the work is done here, slower but with the same
    // result.
    if (found !== null) return found
    signal.throwIfAborted()
  }
  const { terms, finished } = await runInSlices(placesIn(work))
  let place = 0
  return {
    finished,
    next: async count => {
      const some = terms.slice(place, place + count)
      place += count
      return listTerms(some)
    },
    close: async () => {},
  }
}

function charactersOf({ messages, edited }: IndexWork): number {
  let characters = 0
  for (const { content } of [...messages, ...edited]) characters += modelText(content).length
  for (const { earlier } of edited) for (const content of earlier) characters += modelText(content).length
  return characters
}

async function findInThread(work: IndexWork, signal: AbortSignal): Promise<FoundTerms> {
  const { Worker } = await import('node:worker_threads')
  const thread = new Worker(THREAD, { workerData: work })
  let answered = Promise.withResolvers<TermsAnswer>()
  thread.on('message', answer => answered.resolve(answer))
  thread.on('error', error => answered.reject(error))
  answered.promise.catch(() => {})
  let hasEnded = false
  thread.on('exit', () => {
    hasEnded = true
    answered.reject(new Error('the thread that finds terms has ended'))
  })
  const close = async () => {
    signal.removeEventListener('abort', close)
    await thread.terminate()
  }
  signal.addEventListener('abort', close)
  try {
    signal.throwIfAborted()
    const { finished } = (await answered.promise) as FirstAnswer
    // A thread that waits between two transactions must not keep the process alive.
    thread.unref()
    const next = async (count: number) => {
      if (hasEnded) throw new Error('the thread that finds terms has ended')
      answered = Promise.withResolvers()
      answered.promise.catch(() => {})
      thread.ref()
      thread.postMessage(count satisfies TermsQuestion)
      try {
        return ((await answered.promise) as FurtherAnswer).terms
      } finally {
        thread.unref()
      }
    }
    return { finished, next, close }
  } catch (error) {
    await close()
    throw error
  }
}

type FirstAnswer = Extract<TermsAnswer, { readonly finished: unknown }>
type FurtherAnswer = Extract<TermsAnswer, { readonly terms: unknown }>
