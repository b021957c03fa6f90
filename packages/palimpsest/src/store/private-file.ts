/**
 * Files that hold what people said are for their owner only. A new file gets the mode 0600, whatever the
 * umask says. A file that exists already loses the rights of other users. It keeps the rights of its group,
 * because some people share files with a group on purpose.
 *
 * Windows has no modes: a file there has the access rights of its folder.
 */

const OWNER_ONLY = 0o600
const OTHERS = 0o007

/** Makes an empty file if there is none. If that fails, the caller that opens the file reports the reason. */
export function createPrivately(path: string): void {
  const { closeSync, openSync } = fileSystem()
  try {
    // This never opens an existing file: to close it would release the locks that this process has on it.
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch {}
}

/**
 * `false`: other users still have access, because the file belongs to another user or its file system has no
 * modes. A missing file, and anything that is no file (such as a pipe), is left as it is.
 */
export function closeToOthers(path: string): boolean {
  if (process.platform === 'win32') return true
  if (!isOpenToOthers(path)) return true
  try {
    const { chmodSync, statSync } = fileSystem()
    chmodSync(path, statSync(path).mode & 0o7777 & ~OTHERS)
  } catch {}
  return !isOpenToOthers(path)
}

function isOpenToOthers(path: string): boolean {
  const stats = fileSystem().statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && (stats.mode & OTHERS) !== 0
}

/**
 * The mode for a file that takes this one's place: its owner has all rights, and its group has the same
 * rights as before.
 */
export function privateMode(mode: number): number {
  return OWNER_ONLY | (mode & 0o060)
}

/** Makes the file, or writes it anew. `false`: other users can read it all the same. */
export function writePrivately(path: string, text: string): boolean {
  const isClosed = closeToOthers(path)
  fileSystem().writeFileSync(path, text, { mode: OWNER_ONLY })
  return isClosed
}

export function openToOthersText(path: string): string {
  return `Other users of this machine can open ${path}, and it could not be closed to them. Its owner can: chmod o-rwx.`
}

/** Loaded only when it is needed: most programs never need it. */
function fileSystem() {
  return process.getBuiltinModule('node:fs')
}
