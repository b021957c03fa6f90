import { StoreError } from '../../errors.ts'
import type { OnScrub } from '../store.ts'
import { toStoreError } from './errors.ts'
import type { RewriteRequest } from './rewrite-database.ts'
import type { ScrubMessage } from './scrub-thread.ts'

/** As measured on an ordinary disk. */
const DEFAULT_BYTES_PER_MS = 90_000

/** In the sources the file is TypeScript, in the build it is JavaScript. */
const THREAD = import.meta.url.endsWith('.ts')
  ? new URL('./scrub-thread.ts', import.meta.url)
  : new URL('./scrub-thread.js', import.meta.url)

/** `false`: another connection reads or writes, so not all bytes are gone. */
export async function scrubInThread(
  name: string,
  request: RewriteRequest,
  onScrub: OnScrub,
): Promise<boolean> {
  const last = await runThread(request, bytes => onScrub({ bytes, usualMs: bytes / DEFAULT_BYTES_PER_MS }))
  switch (last.kind) {
    case 'scrubbed':
      return true
    case 'in use':
      return false
    case 'no room':
      throw new StoreError(
        'store_full',
        name,
        'there is no room to write the database anew, so that bytes of what was erased may still be in its file: ' +
          `${last.folder} has ${megabytes(last.freeBytes)} free and ${megabytes(last.neededBytes)} are needed. ` +
          'Nothing is lost; make room, and it is tried again.',
      )
    case 'failed':
      throw toStoreError(Object.assign(new Error(last.message), { errcode: last.errcode }), name)
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}

type LastMessage = Exclude<ScrubMessage, { kind: 'begun' }>

async function runThread(request: RewriteRequest, onBegin: (bytes: number) => void): Promise<LastMessage> {
  const { Worker } = await import('node:worker_threads')
  const { promise, resolve, reject } = Promise.withResolvers<LastMessage>()
  const thread = new Worker(THREAD, { workerData: request })
  thread.on('message', (message: ScrubMessage) => {
    if (message.kind === 'begun') onBegin(message.bytes)
    else resolve(message)
  })
  thread.on('error', reject)
  thread.on('exit', () => reject(new Error('the thread that scrubs ended too early')))
  return promise
}
