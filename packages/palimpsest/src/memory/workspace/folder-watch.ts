import { type FSWatcher, watch } from 'node:fs'
import { DOCUMENT_FOLDERS } from './file-names.ts'
import type { Folder } from './folder.ts'

/**
 * Tells which files were touched, if the system can tell. The system may miss some, so all files are also
 * checked from time to time. Each folder is watched by itself, since on some systems a recursive watch needs
 * a handle for each file.
 */
export class FolderWatch {
  readonly #folder: Folder
  readonly #onTouch: (path: string) => void
  #watchers: readonly FSWatcher[] = []

  constructor(folder: Folder, onTouch: (path: string) => void) {
    this.#folder = folder
    this.#onTouch = onTouch
  }

  /** Also opens the watch again, since a folder may have been removed and made again. */
  open(): void {
    const old = this.#watchers
    this.#watchers = DOCUMENT_FOLDERS.flatMap(folder => this.#watch(folder))
    for (const watcher of old) watcher.close()
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers = []
  }

  #watch(folder: string): FSWatcher[] {
    try {
      const watcher = watch(this.#folder.at(folder), { persistent: false }, (_event, name) => {
        if (name) this.#onTouch(folder === '' ? name : `${folder}/${name}`)
      })
      watcher.on('error', () => watcher.close())
      return [watcher]
    } catch {
      return []
    }
  }
}
