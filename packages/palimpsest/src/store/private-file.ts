/**
 * Files that hold what people said are for their owner: made with 0600 whatever the umask says. One that is there
 * already loses what others may do with it, and keeps what its group may, which some share on purpose.
 *
 * Windows has no modes: a file there has the access of its folder.
 */

const OWNER_ONLY = 0o600
const OTHERS = 0o007

/** Empty, where there is none. What keeps it from being made is told by the caller that opens it. */
export function createPrivately(path: string): void {
  const { closeSync, openSync } = fileSystem()
  try {
    // Never opens one that is there: closing it would let go of the locks that this process has on it.
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch {}
}

/**
 * `false`: others still have access, since it belongs to another user or its file system has no modes. What is no
 * file, such as a pipe, or is not there, is left as it is.
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

/** For a file that takes this one's place: its owner, and its group as before. */
export function privateMode(mode: number): number {
  return OWNER_ONLY | (mode & 0o060)
}

/** Makes it or writes it anew. `false`: others can read it all the same. */
export function writePrivately(path: string, text: string): boolean {
  const isClosed = closeToOthers(path)
  fileSystem().writeFileSync(path, text, { mode: OWNER_ONLY })
  return isClosed
}

export function openToOthersText(path: string): string {
  return `Other users of this machine can open ${path}, and it could not be closed to them. Its owner can: chmod o-rwx.`
}

/** Loaded only where it is needed: most programs never do. */
function fileSystem() {
  return process.getBuiltinModule('node:fs')
}
