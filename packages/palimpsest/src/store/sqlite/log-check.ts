import { StoreError } from '../../errors.ts'
import { nextTurn } from '../../slices.ts'
import type { Identity } from '../store.ts'
import { type HeaderRead, readHeader } from './file-header.ts'
import { readIdentityAlone } from './identity-alone.ts'
import { identityIn } from './identity-page.ts'
import { type LogContent, readLog, readSalts } from './log-file.ts'

/** The reason why a log does not belong to the file beside it. */
type LogMismatch =
  | 'no file'
  | 'page size'
  | 'earlier file'
  | 'later file'
  | 'other database'
  | 'other generation'

/** The file by itself, without its log. */
interface FileAlone {
  readonly header: HeaderRead
  /** `null`: the file has no identity, or the identity cannot be read without the log. */
  readonly identity: Identity | null
}

/** Other processes may write while this looks at the files. */
const MAX_LOOKS = 100

/**
 * SQLite copies any log that it finds beside a file into that file. If the log is that of another file or of
 * another moment, the result is a damaged database. So this checks, before SQLite sees the two, whether they
 * belong together. It never refuses what SQLite itself has left, even if other processes write meanwhile: a
 * refusal counts only if both files were the same before and after.
 *
 * `path`: the path as SQLite has it, with links followed.
 */
export async function checkLog(name: string, path: string): Promise<void> {
  const mismatch = await findForeignLog(path)
  if (mismatch !== null) throw mismatchError(name, path, mismatch)
}

/** `null`: there is no log, or the log belongs to the file. */
export async function findForeignLog(path: string): Promise<LogMismatch | null> {
  for (let looks = MAX_LOOKS; looks > 0; looks--) {
    const before = lookAt(path)
    const { rootPage, identity } = readIdentityAlone(path)
    const log = await readLog(`${path}-wal`, rootPage)
    if (log === null) return null
    const mismatch = findMismatch({ header: before.header, identity }, log)
    if (mismatch === null) return null
    const after = lookAt(path)
    if (JSON.stringify(before) === JSON.stringify(after) && before.salts === log.salts) return mismatch
    await nextTurn()
  }
  return null
}

function lookAt(path: string): { readonly header: HeaderRead; readonly salts: string | null } {
  return { header: readHeader(path), salts: readSalts(`${path}-wal`) }
}

/**
 * A file belongs to a log in two cases: the log began with this state of the file, or the file came from
 * copying a part of the log into it. SQLite counts the changes of page 1 one by one. Changes that one
 * connection makes, without another connection in between, share one number. So the state that a log began
 * with has the number of the log's first page 1, or the number before.
 */
function findMismatch({ header, identity }: FileAlone, log: LogContent): LogMismatch | null {
  // SQLite would throw the log away.
  if (header === 'empty') return 'no file'
  if (header === null) return findOtherIdentity(identity, log.copies)
  if (header.pageSize !== log.pageSize) return 'page size'
  return findOtherMoment(header.changes, log.changes) ?? findOtherIdentity(identity, log.copies)
}

function findOtherMoment(inFile: number, inLog: LogContent['changes']): LogMismatch | null {
  if (inLog === null) return null
  // After the highest number of 32 bits the count begins again.
  const after = (from: number, to: number) => (to - from) | 0
  if (after(inLog.first - 1, inFile) < 0) return 'earlier file'
  return after(inFile, inLog.last) < 0 ? 'later file' : null
}

/** Our logs begin with a copy of the page that has the identity. */
function findOtherIdentity(inFile: Identity | null, copies: readonly Buffer[]): LogMismatch | null {
  const inLog = copies.map(identityIn).filter(identity => identity !== null)
  const [first] = inLog
  if (inFile === null || first === undefined) return null
  if (inLog.some(({ id }) => id !== inFile.id)) return 'other database'
  const isKnown = inLog.some(({ generationKey }) => generationKey === inFile.generationKey)
  // A log may itself begin a generation that the file does not have yet.
  return isKnown || first.generation > inFile.generation ? null : 'other generation'
}

const WORDS: Readonly<Record<LogMismatch, string>> = {
  'no file': 'there is nothing in the file itself, and SQLite would throw the log away',
  'page size': 'its pages have another size',
  'earlier file': 'the file is of an earlier moment than the beginning of the log, or is another one',
  'later file': 'the file is of a later moment than the end of the log, or is another one',
  'other database': 'the log is of another database',
  'other generation': 'the file was restored from a backup since',
}

function mismatchError(name: string, path: string, mismatch: LogMismatch): StoreError {
  return new StoreError(
    'store_corrupt',
    name,
    `the log beside it (${path}-wal) does not belong to the file: ${WORDS[mismatch]}. Together they would make a damaged ` +
      'database, so neither was touched. If the file is the one that you want, move the -wal and the -shm to another folder, ' +
      'and start again: what is only in the log is not in the file then. To put a backup back, "palimpsest restore" sees ' +
      'to all of this.',
  )
}
