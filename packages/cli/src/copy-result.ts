import type { Difference, DifferenceReason } from './copy-session.ts'

/** What a copy did, and the differences that it found. */
export interface CopyResult {
  readonly from: string
  readonly to: string
  readonly verifyOnly: boolean
  readonly namespaces: readonly string[]
  readonly sessions: Counts
  /** `verified` counts all sessions that were compared, `written` only what this run wrote. */
  readonly messages: { readonly written: number; readonly verified: number }
  readonly documents: Counts
  readonly settings: Counts
  readonly keys: Counts
  /** Whether this run wrote anything. */
  readonly changed: boolean
  readonly differences: readonly Difference[]
  /** The number of all differences. The list holds at most 1,000 of them. */
  readonly differenceCount: number
  readonly seconds: number
  readonly messagesPerSecond: number
}

export interface Counts {
  readonly copied: number
  /** An earlier run had copied it, and the original has grown since. */
  readonly updated: number
  readonly unchanged: number
}

type Kind = 'sessions' | 'documents' | 'settings' | 'keys'
const MAX_DIFFERENCES = 1_000

export class CopyTally {
  readonly #counts: Record<Kind, { copied: number; updated: number; unchanged: number }> = {
    sessions: { copied: 0, updated: 0, unchanged: 0 },
    documents: { copied: 0, updated: 0, unchanged: 0 },
    settings: { copied: 0, updated: 0, unchanged: 0 },
    keys: { copied: 0, updated: 0, unchanged: 0 },
  }
  readonly #differences: Difference[] = []
  readonly #started = performance.now()
  #differenceCount = 0
  written = 0
  verified = 0

  count(kind: Kind, outcome: keyof Counts): void {
    this.#counts[kind][outcome] += 1
  }

  differ(difference: Difference): void {
    this.#differenceCount += 1
    if (this.#differences.length < MAX_DIFFERENCES) this.#differences.push(difference)
  }

  get sessions(): number {
    const { copied, updated, unchanged } = this.#counts.sessions
    return copied + updated + unchanged
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000
  }

  get messagesPerSecond(): number {
    return Math.round(this.written / Math.max(0.001, this.seconds))
  }

  result(about: Pick<CopyResult, 'from' | 'to' | 'verifyOnly' | 'namespaces'>): CopyResult {
    const counts = Object.values(this.#counts)
    return {
      ...about,
      ...this.#counts,
      messages: { written: this.written, verified: this.verified },
      changed: counts.some(({ copied, updated }) => copied + updated > 0),
      // Several sessions are copied at once and end in any order, so the list is sorted.
      differences: this.#differences.toSorted(byPlace),
      differenceCount: this.#differenceCount,
      seconds: Math.round(this.seconds * 1000) / 1000,
      messagesPerSecond: this.messagesPerSecond,
    }
  }
}

const KINDS: readonly Difference['kind'][] = ['namespace', 'session', 'document', 'setting', 'key']

function byPlace(a: Difference, b: Difference): number {
  const order = (x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0)
  const kinds = KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)
  return order(a.namespace, b.namespace) || kinds || order(a.name, b.name)
}

const REASONS: Readonly<Record<DifferenceReason, string>> = {
  conflict: 'is there with other content, and was left alone',
  missing: 'is missing',
  different: 'differs',
  unusable:
    'has a number that nothing can follow, from a file that was imported before they were checked; export what it says, or erase it',
  rewritten: 'was rewritten again and again while it was copied; run it again when it is quieter',
  erasing: 'was not copied, since an erasure is under way; let it finish and run it again',
}

const SHOWN_DIFFERENCES = 20

export function resultText(result: CopyResult): string {
  const { sessions, documents, settings, keys, messages, verifyOnly, changed } = result
  const parts = [
    countText('session', sessions),
    countText('memory document', documents),
    countText('setting', settings),
    countText('key', keys),
  ].filter(text => text !== null)
  const speed = messages.written > 0 ? ` (${result.messagesPerSecond} a second)` : ''
  if (verifyOnly)
    return `Compared ${messages.verified} messages in ${result.seconds.toFixed(1)} s: ${parts.join(', ') || 'nothing is the same'}.\n`
  if (!changed) return `Nothing was to be copied: ${parts.join(', ') || 'there is nothing'}.\n`
  return `Copied ${messages.written} messages${speed}: ${parts.join(', ')}.\n`
}

function countText(what: string, { copied, updated, unchanged }: Counts): string | null {
  const parts = [
    copied > 0 && `${copied} copied`,
    updated > 0 && `${updated} brought up to date`,
    unchanged > 0 && `${unchanged} the same`,
  ].filter(part => part !== false)
  return parts.length === 0 ? null : `${what}s ${parts.join(' and ')}`
}

export function differencesText({ differences, differenceCount }: CopyResult): string {
  const lines = differences.slice(0, SHOWN_DIFFERENCES).map(({ kind, namespace, name, reason }) => {
    const where = namespace === 'default' ? '' : ` of namespace ${JSON.stringify(namespace)}`
    return `${kind} ${JSON.stringify(name)}${where} ${REASONS[reason]}`
  })
  const more = differenceCount - lines.length
  return [...lines, ...(more > 0 ? [`and ${more} more; --json lists them`] : [])].join('\n')
}
