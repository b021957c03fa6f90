import { readFile } from 'node:fs/promises'

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
}

/**
 * The text of a file that the caller named. If the file cannot be read, throws what `refuse` makes of the
 * reason.
 */
export async function readText(
  path: string,
  refuse: (reason: string, cause: unknown) => Error,
): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const reason = FILE_ERRORS[(error as NodeJS.ErrnoException).code ?? '']
    throw reason === undefined ? error : refuse(reason, error)
  }
}
