import { createHmac } from 'node:crypto'
import type { ErasureTarget } from '../store/index.ts'

/**
 * One line of the list of erasures. It has no id and no text of a person or a session, only hashes. Their key
 * is in no database, and so in no backup. With the list and its key, a restore finds what to erase again. The
 * list alone, or a backup alone, reveals nothing.
 */
export interface ErasedLine {
  readonly format: 1
  /** The random id of the erasure. Its record in the database has the same id. */
  readonly id: string
  readonly at: string
  /** The database of the erasure. Copies of a database have the same id. */
  readonly database: string
  /** Tells keys apart without revealing anything of them. */
  readonly key: string
  readonly kind: ErasureTarget['kind']
  readonly namespace: string
  readonly person?: string
  /**
   * For an erasure of messages: the sessions that hold them through forks. The session that the caller named
   * comes first.
   */
  readonly sessions?: readonly { readonly session: string; readonly seqs?: readonly number[] }[]
}

/** A note that the files of the workspace have followed the erasure. */
export interface FilesLine {
  readonly format: 1
  readonly id: string
  readonly database: string
  readonly files: 'done'
}

/** An erasure, with all places of its messages. */
export interface ListedErasure {
  readonly id: string
  readonly at: Date
  readonly namespace: string
  readonly target: ErasureTarget
  /** Set for an erasure of messages only. */
  readonly family?: readonly { readonly sessionId: string; readonly seqs: readonly number[] }[]
}

/** Hashes ids under the key of a list. */
export class ErasedHashes {
  readonly #key: Buffer
  /** The same for every line under this key. */
  readonly check: string

  constructor(key: Buffer) {
    this.#key = key
    this.check = this.#hash('key').slice(0, 16)
  }

  namespace(namespace: string): string {
    return this.#hash('namespace', namespace)
  }

  session(namespace: string, id: string): string {
    return this.#hash('session', namespace, id)
  }

  person(namespace: string, id: string): string {
    return this.#hash('person', namespace, id)
  }

  /** As JSON, so that no two lists of names give the same text. */
  #hash(...names: readonly string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(names)).digest('hex')
  }
}

export function toLine(erasure: ListedErasure, hashes: ErasedHashes, database: string): ErasedLine {
  const { id, at, namespace, target } = erasure
  return {
    format: 1,
    id,
    at: at.toISOString(),
    database,
    key: hashes.check,
    kind: target.kind,
    namespace: hashes.namespace(namespace),
    ...(target.kind === 'person' && { person: hashes.person(namespace, target.id) }),
    ...(target.kind === 'session' && {
      sessions: [{ session: hashes.session(namespace, target.sessionId) }],
    }),
    ...(target.kind === 'messages' && {
      sessions: (erasure.family ?? [target]).map(({ sessionId, seqs }) => ({
        session: hashes.session(namespace, sessionId),
        seqs,
      })),
    }),
  }
}

const KINDS: readonly unknown[] = [
  'messages',
  'session',
  'person',
  'namespace',
] satisfies ErasureTarget['kind'][]

/** `null`: a process ended during the write of the line, or a later version wrote it. */
export function readLine(text: string): ErasedLine | FilesLine | null {
  const line = parse(text) as Partial<ErasedLine & FilesLine>
  if (line.format !== 1 || typeof line.id !== 'string' || typeof line.database !== 'string') return null
  if (line.files === 'done') return line as FilesLine
  const isWhole =
    KINDS.includes(line.kind) && typeof line.key === 'string' && !Number.isNaN(Date.parse(line.at ?? ''))
  return isWhole && typeof line.namespace === 'string' ? (line as ErasedLine) : null
}

function parse(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

export function isFilesLine(line: ErasedLine | FilesLine): line is FilesLine {
  return 'files' in line
}
