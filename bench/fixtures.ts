import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPalimpsest, sqlite } from '../packages/palimpsest/src/index.ts'
import { messagesFrom } from './corpus.ts'
import { NEVER } from './policies.ts'

export const SESSION = 'bench'
const AT_ONCE = 1_000

/**
 * Databases whose one session has so many messages: filled once in a run, and copied for whoever needs
 * one. All of it lies in one temporary folder.
 */
export class Fixtures {
  readonly folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'))
  readonly #filled = new Map<number, Promise<string>>()
  readonly #progress: (message: string) => void
  #copies = 0

  constructor(progress: (message: string) => void) {
    this.#progress = progress
  }

  /** A file of the caller's own. */
  async withMessages(messages: number): Promise<string> {
    let filled = this.#filled.get(messages)
    if (filled === undefined) {
      filled = this.#fill(messages)
      this.#filled.set(messages, filled)
    }
    const copy = this.newFile()
    copyFileSync(await filled, copy)
    return copy
  }

  newFile(): string {
    return join(this.folder, `${this.#copies++}.db`)
  }

  discard(file: string): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #fill(messages: number): Promise<string> {
    this.#progress(`filling a session with ${messages.toLocaleString('en')} messages`)
    const file = join(this.folder, `filled-${messages}.db`)
    await using palimpsest = await createPalimpsest({
      store: sqlite(file, { durability: 'normal' }),
      policy: NEVER,
      indexing: 'off',
    })
    const chat = palimpsest.session(SESSION)
    for (let start = 0; start < messages; start += AT_ONCE)
      await chat.append(messagesFrom(start, Math.min(AT_ONCE, messages - start)))
    return file
  }
}
