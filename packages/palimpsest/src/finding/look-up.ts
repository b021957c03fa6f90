import { type Message, searchableText } from '../log/index.ts'
import {
  eachTermInSteps,
  MAX_COUNT,
  MAX_LENGTH,
  minuteOf,
  type Postings,
  type SearchQuery,
  type SessionIndex,
} from '../search/index.ts'
import { type InSteps, runInSlices } from '../slices.ts'
import { type SearchRead, type SearchRequest, type Speaker, type Store, speakerName } from '../store/index.ts'
import { isSought, matcherOf } from './is-sought.ts'
import { Pace } from './pace.ts'

type Reader = Pick<Store, 'search' | 'log'>

const SESSIONS_AT_A_TIME = 100
const MESSAGES_AT_A_TIME = 200

/** All that ranking reads of a session. It does not depend on how far the index has come. */
export type SearchedSession = Omit<SearchRead, 'indexedThrough' | 'edited'>

/**
 * Combines what the index knows of a query with the messages that are not indexed yet. Those are read and
 * counted here, so that the newest message is found at once, and an edited one by its present text. Sessions
 * without any searched term are left out, so that the others compare in the same way however far the index
 * has come.
 */
export async function lookUp(
  store: Reader,
  namespace: string,
  {
    query,
    ...which
  }: Omit<SearchRequest, 'terms' | 'page' | 'withoutTerms'> & { readonly query: SearchQuery },
): Promise<readonly SearchedSession[]> {
  const pace = new Pace()
  const sessions: SearchedSession[] = []
  for (let after: string | null = ''; after !== null; ) {
    const { reads, next } = await store.search.readSearch(namespace, {
      ...which,
      terms: query.terms,
      withoutTerms: query.onlyDates,
      page: { limit: SESSIONS_AT_A_TIME, ...(after !== '' && { after }) },
    })
    for (const read of reads) {
      const session = await complete(store, read, { query, pace })
      if (query.onlyDates || holdsSought(query, session.index)) sessions.push(session)
    }
    await pace.keep()
    after = next
  }
  return sessions
}

function holdsSought(query: SearchQuery, { postings }: SessionIndex): boolean {
  const isWanted = isSought(query)
  for (const [name, { seqs }] of postings) if (seqs.length > 0 && isWanted(name)) return true
  return false
}

async function complete(
  store: Reader,
  read: SearchRead,
  { query, pace }: { query: SearchQuery; pace: Pace },
): Promise<SearchedSession> {
  const { key, index, speakers, indexedThrough, edited } = read
  const isComplete = indexedThrough >= index.lastSeq && edited.length === 0
  if (isComplete) return { key, index, speakers }
  const end = new UnindexedEnd(read, query)
  for (const message of edited.length > 0 ? await store.log.readMessages(key, { seqs: edited }) : []) {
    await runInSlices(end.add(message))
    await pace.keep()
  }
  for (let after = indexedThrough; after < index.lastSeq; ) {
    const page = await store.log.readMessages(key, {
      after,
      before: index.lastSeq + 1,
      limit: MESSAGES_AT_A_TIME,
      from: 'oldest',
    })
    for (const message of page) {
      await runInSlices(end.add(message))
      await pace.keep()
    }
    if (page.length < MESSAGES_AT_A_TIME) break
    after = page.at(-1)!.seq
  }
  return { key, ...end.finish() }
}

/** Messages that are not in the index yet, or that changed since they were indexed. */
class UnindexedEnd {
  readonly #read: SearchRead
  readonly #isWanted: (term: string) => boolean
  readonly #speakers: Speaker[]
  readonly #places = new Map<string, number>()
  readonly #found = new Map<string, [seq: number, count: number][]>()

  constructor(read: SearchRead, { terms }: SearchQuery) {
    this.#read = read
    this.#isWanted = matcherOf(terms)
    this.#speakers = [...read.speakers]
    for (const [place, speaker] of read.speakers.entries()) this.#places.set(speakerKey(speaker), place)
  }

  *add(message: Message): InSteps<void> {
    const { lengths, speakers, minutes } = this.#read.index
    const { seq, content, at } = message
    let length = 0
    const counts = new Map<string, number>()
    yield* eachTermInSteps(searchableText(content), term => {
      length += 1
      if (this.#isWanted(term)) counts.set(term, (counts.get(term) ?? 0) + 1)
    })
    for (const [term, count] of counts) {
      const places = this.#found.get(term)
      if (places) places.push([seq, count])
      else this.#found.set(term, [[seq, count]])
    }
    lengths[seq] = Math.min(length, MAX_LENGTH)
    speakers[seq] = this.#placeOf(message)
    minutes[seq] = minuteOf(at.getTime())
  }

  #placeOf({ role, sender }: Speaker): number {
    const key = speakerKey({ role, sender })
    const place = this.#places.get(key) ?? this.#speakers.push({ role, sender }) - 1
    this.#places.set(key, place)
    return place
  }

  finish(): { readonly index: SessionIndex; readonly speakers: readonly Speaker[] } {
    const { index, indexedThrough, edited } = this.#read
    const isStale = new Set(edited)
    const postings = new Map<string, Postings>()
    for (const term of new Set([...index.postings.keys(), ...this.#found.keys()])) {
      const places = this.#found.get(term) ?? []
      const known = index.postings.get(term)
      if (known)
        for (let place = 0; place < known.seqs.length; place++) {
          const seq = known.seqs[place]!
          // Another process wrote what lies above the cursor, and has not finished it.
          if (seq <= indexedThrough && !isStale.has(seq)) places.push([seq, known.counts[place]!])
        }
      places.sort(([one], [other]) => one - other)
      postings.set(term, {
        seqs: Uint32Array.from(places, ([seq]) => seq),
        counts: Uint8Array.from(places, ([, count]) => Math.min(count, MAX_COUNT)),
      })
    }
    const speakerNames = this.#speakers.map(speakerName)
    return { index: { ...index, speakerNames, postings }, speakers: this.#speakers }
  }
}

function speakerKey({ role, sender }: Speaker): string {
  return JSON.stringify([role, sender?.id, sender?.name])
}
