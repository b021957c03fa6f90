import type {
  Author,
  DocumentEdit,
  DocumentKey,
  DocumentRecord,
  DocumentWrite,
  LayerName,
  NewFact,
  Store,
  StoreEvent,
} from '../../store/index.ts'
import { eventsOf } from './events-of.ts'

/** Short calls for memory documents in the cases. */

export const PERSON: Author = { kind: 'person', name: 'ann' }
export const NOW = Date.UTC(2026, 0, 15, 9)
export const DAY = '2026-01-15'

export function documentKey(layer: LayerName, key = '', namespace = 'test'): DocumentKey {
  return { namespace, layer, key }
}

type WriteOptions = Partial<Omit<DocumentWrite, 'key' | 'change'>> &
  Pick<DocumentEdit, 'facts' | 'superseded' | 'undoes'>

/** Any measure will do, as long as it is the same each time. */
function tokensOf(content: string): number {
  return Math.ceil(content.length / 4)
}

function writing(
  key: DocumentKey,
  rewrite: (current: DocumentRecord | null) => string,
  { facts, superseded, undoes, ...rest }: WriteOptions,
): DocumentWrite {
  return {
    key,
    change: current => {
      const content = rewrite(current)
      return {
        content,
        tokens: tokensOf(content),
        ...(facts && { facts }),
        ...(superseded && { superseded }),
        ...(undoes !== undefined && { undoes }),
      }
    },
    author: PERSON,
    sources: [],
    now: NOW,
    ...rest,
  }
}

/** A write that replaces the whole text. */
export function replacing(key: DocumentKey, content: string, options: WriteOptions = {}): DocumentWrite {
  return writing(key, () => content, options)
}

/** A write that adds a line at the end. */
export function adding(key: DocumentKey, line: string, options: WriteOptions = {}): DocumentWrite {
  return writing(key, current => `${current?.content ?? ''}${line}\n`, options)
}

/** A write that adds a line for each fact, unless the line exists already. */
export function learning(
  key: DocumentKey,
  facts: readonly NewFact[],
  options: WriteOptions = {},
): DocumentWrite {
  const rewrite = (current: DocumentRecord | null) => {
    const content = current?.content ?? ''
    const known = new Set(content.split('\n'))
    const added = new Set(facts.map(({ line }) => line).filter(line => !known.has(line)))
    return content + [...added].map(line => `${line}\n`).join('')
  }
  return writing(key, rewrite, { author: { kind: 'extraction', name: 'test' }, facts, ...options })
}

/** A fact that was said in these messages of a session. */
export function fact(
  line: string,
  sessionId: string,
  [fromSeq, toSeq]: readonly [number, number],
  fields: Partial<NewFact> = {},
): NewFact {
  return {
    line,
    subject: null,
    origin: { sessionId, fromSeq, toSeq },
    saidAt: new Date(NOW),
    on: null,
    from: 'extraction',
    ...fields,
  }
}

/** `null`: there is no document. */
export async function contentOf(store: Store, key: DocumentKey): Promise<string | null> {
  return (await store.documents.readDocument(key))?.content ?? null
}

export async function linesOf(store: Store, key: DocumentKey): Promise<readonly string[]> {
  return ((await contentOf(store, key)) ?? '').split('\n').filter(line => line !== '')
}

/** The events about documents. */
export function memoryEvents(store: Store, expected: number): Promise<readonly StoreEvent[]> {
  return eventsOf(store, 'memory-changed', expected)
}
