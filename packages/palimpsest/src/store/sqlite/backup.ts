import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { InvalidArgumentError, PalimpsestError } from '../../errors.ts'
import { checkOptions, optionsOf } from '../../known-options.ts'
import { closeToOthers } from '../private-file.ts'
import type { BackupMessage } from './backup-thread.ts'
import { fileAt } from './connection.ts'
import { toStoreError } from './errors.ts'
import { checkLog } from './log-check.ts'
import type { BackupContent, BackupRequest, BackupStage } from './make-backup.ts'
import { realPath, sizeOf } from './view.ts'

export interface BackupOptions {
  /** The file to be made. */
  readonly to: string
  /** `true`: the backup replaces a file that is there. */
  readonly overwrite?: boolean
  readonly onStage?: (stage: BackupStage) => void
  /** Ends the backup; then nothing is left behind. */
  readonly signal?: AbortSignal
}

const BACKUP = optionsOf<BackupOptions>({ to: true, overwrite: true, onStage: true, signal: true })

export interface Backup extends BackupContent {
  readonly file: string
  readonly tookMs: number
}

/** In the sources the file is TypeScript, in the build it is JavaScript. */
const THREAD = import.meta.url.endsWith('.ts')
  ? new URL('./backup-thread.ts', import.meta.url)
  : new URL('./backup-thread.js', import.meta.url)

/** The end of the file's name until the backup is whole. The file is in its later folder already. */
const PARTIAL = '.partial'

/**
 * Copies a SQLite database as it is at one moment, while other processes write. The copy is read through, it
 * is on the disk, and only its owner can read it. Afterwards `to` is either whole or as it was.
 */
export async function backupSqlite(path: string, options: BackupOptions): Promise<Backup> {
  checkOptions('backupSqlite', options, BACKUP)
  const begun = performance.now()
  const source = realPath(resolve(path))
  const name = `SQLite ${path}`
  const to = resolve(options.to)
  checkTarget(source, to, options)
  if (sizeOf(`${source}-wal`) > 0) await checkLog(name, source)
  options.signal?.throwIfAborted()
  const temporary = join(dirname(to), `.${basename(to)}.${randomBytes(6).toString('hex')}${PARTIAL}`)
  createTemporary(temporary)
  try {
    const content = await runThread({ name, path: source, temporary }, options)
    options.signal?.throwIfAborted()
    putInPlace(temporary, to, options)
    return { file: options.to, ...content, tookMs: Math.round(performance.now() - begun) }
  } finally {
    for (const end of ['', '-journal']) rmSync(`${temporary}${end}`, { force: true })
  }
}

/** Whether the file is left from a backup into this folder that the end of its process interrupted. */
export function isPartial(file: string): boolean {
  return file.startsWith('.') && file.endsWith(PARTIAL)
}

function checkTarget(source: string, to: string, { overwrite = false, to: given }: BackupOptions): void {
  const isSource = [source, `${source}-wal`, `${source}-shm`].some(
    file => file === to || (existsSync(to) && fileAt(file) === fileAt(to)),
  )
  if (isSource)
    throw new InvalidArgumentError('FILE', given, 'another file than those of the database itself')
  if (statSync(to, { throwIfNoEntry: false })?.isDirectory())
    throw new InvalidArgumentError('FILE', given, 'the name of a file that is to be made; this is a folder')
  if (!overwrite && existsSync(to)) throw existsError(given)
  for (const end of ['-wal', '-journal'])
    if (sizeOf(`${to}${end}`) > 0)
      throw new InvalidArgumentError(
        'FILE',
        given,
        `a name beside which no log of another database lies; SQLite would put ${basename(to)}${end} into the backup`,
      )
}

function existsError(given: string): InvalidArgumentError {
  return new InvalidArgumentError('FILE', given, 'a file that is not there yet, or --overwrite')
}

function createTemporary(temporary: string): void {
  try {
    closeSync(openSync(temporary, 'wx', 0o600))
    // The umask does not matter here, but a folder may have rules of its own.
    closeToOthers(temporary)
  } catch (error) {
    throw notWritten(temporary, error)
  }
}

function notWritten(file: string, error: unknown): PalimpsestError {
  const { code = 'an error' } = error as NodeJS.ErrnoException
  return new PalimpsestError(
    'file_not_written',
    `${file} cannot be written (${code}). Check that the folder is there and can be written.`,
    { file, reason: code },
    { cause: error },
  )
}

/** If another process has taken the name meanwhile, its file stays, on a file system that has links. */
function putInPlace(temporary: string, to: string, { overwrite = false, to: given }: BackupOptions): void {
  try {
    if (overwrite) renameSync(temporary, to)
    else linkOrRename(temporary, to)
    syncFolder(dirname(to))
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? existsError(given) : notWritten(to, error)
  }
}

function linkOrRename(temporary: string, to: string): void {
  try {
    linkSync(temporary, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(to)) throw error
    renameSync(temporary, to)
  }
}

/** Puts the name on the disk too. Windows has no such call. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(realpathSync(folder), 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

async function runThread(request: BackupRequest, { onStage, signal }: BackupOptions): Promise<BackupContent> {
  const { Worker } = await import('node:worker_threads')
  const { promise, resolve, reject } = Promise.withResolvers<BackupContent>()
  const thread: Worker = new Worker(THREAD, { workerData: request })
  const stop = () => reject(signal?.reason)
  signal?.addEventListener('abort', stop)
  thread.on('message', (message: BackupMessage) => {
    if (message.kind === 'stage') onStage?.(message.stage)
    else if (message.kind === 'made') resolve(message.content)
    else if (message.kind === 'refused')
      reject(new PalimpsestError(message.code, message.message, message.details))
    else reject(toStoreError(Object.assign(new Error(message.message), message), request.name))
  })
  thread.on('error', reject)
  thread.on('exit', () => reject(new Error('the thread that makes a backup ended too early')))
  try {
    return await promise
  } finally {
    signal?.removeEventListener('abort', stop)
    // A thread in the middle of a statement ends after that statement.
    await thread.terminate()
  }
}
