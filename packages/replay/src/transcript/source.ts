import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { PalimpsestError } from 'palimpsest/internals/errors'

/**
 * The bytes of a transcript, which can be read again and again: a file is opened anew, standard input is kept
 * in memory.
 */
export interface Source {
  readonly path: string
  readonly bytes: number
  chunks(): AsyncIterable<Buffer> | Iterable<Buffer>
}

/** Opens a file, or standard input (`-`). */
export async function openSource(path: string, options: { onChunk?: () => void } = {}): Promise<Source> {
  const size = path === '-' ? null : await fileSize(path)
  if (size !== null) return { path, bytes: size, chunks: () => readChunks(path) }
  const chunks: Buffer[] = []
  for await (const chunk of readChunks(path)) {
    chunks.push(chunk)
    options.onChunk?.()
  }
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return { path, bytes, chunks: () => chunks }
}

/** The first `bytes` bytes, or all if there are fewer. */
export async function readHead(source: Source, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of source.chunks()) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= bytes) break
  }
  return Buffer.concat(chunks).subarray(0, bytes)
}

async function* readChunks(path: string): AsyncGenerator<Buffer> {
  try {
    yield* path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 1024 * 1024 })
  } catch (error) {
    throw toFileError(error, path)
  }
}

/** `null`: the path is no regular file, or there is nothing; then the read reports it. */
async function fileSize(path: string): Promise<number | null> {
  return stat(path).then(
    found => (found.isFile() ? found.size : null),
    () => null,
  )
}

function toFileError(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT')
    return new PalimpsestError('file_not_found', `There is no file ${path}.`, { file: path })
  if (code === 'EISDIR')
    return new PalimpsestError('file_not_found', `${path} is a folder; name a file.`, { file: path })
  if (code === 'EACCES' || code === 'EPERM')
    return new PalimpsestError('file_not_found', `${path} may not be read.`, { file: path })
  return error
}
