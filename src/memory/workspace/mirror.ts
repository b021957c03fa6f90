import { createHash } from 'node:crypto'
import { PalimpsestError } from '../../errors.ts'
import type { DocumentVersion, LayerName, MirrorState, Store } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { normalizeMarkdown } from '../document/index.ts'
import { dayFile, fileOf } from './file-names.ts'
import { codeOf, type Folder, type Stamp } from './folder.ts'
import { mergeDocuments } from './merge.ts'
import type { Warnings } from './warnings.ts'
import {
  type FileContent,
  type FileName,
  type FilePart,
  parseFile,
  readFile,
  renderFile,
} from './workspace-file.ts'

export interface MirrorOptions {
  readonly store: Store
  readonly namespace: string
  readonly folder: Folder
  readonly clock: () => number
  readonly warnings: Warnings
}

export interface SyncCounts {
  /** Files. */
  written: number
  /** Documents that a person changed in their files. */
  read: number
  /** Files that were moved out of the way, or of which a copy was kept. */
  setAside: number
}

/** A larger file is no memory, unless the documents themselves are as large. */
export const MOST_BYTES = 1_000_000
const VERSIONS_AT_A_TIME = 200
/** Somebody who writes the same file all the time is left to finish. */
const TRIES = 3

/**
 * Brings one file and its documents into line, in both directions. What always holds: nothing that a
 * person wrote is overwritten before it is in the database or set aside; nothing is taken from a file that
 * is damaged; and a document is noted as mirrored only when its file says the same.
 *
 * An edit is a text that is neither the one last mirrored nor the database's own, nor a version in between:
 * a process that ended after it had written, and before it could say so, leaves such a one. At the first look
 * of a process any version will do, since files may also have been put back from a copy. Afterwards an older
 * one is an edit: somebody took a change back.
 */
export class Mirror {
  readonly #options: MirrorOptions
  /** Files that were in line when last looked at, with their stamps. */
  readonly #seen = new Map<string, Stamp>()
  /** Files of which a copy was set aside, with their stamps: if they cannot be written, there is one copy only. */
  readonly #copied = new Map<string, string>()
  readonly counts: SyncCounts = { written: 0, read: 0, setAside: 0 }

  constructor(options: MirrorOptions) {
    this.#options = options
  }

  async reconcile(name: FileName, look: Look): Promise<'done' | 'not finished'> {
    const path = pathOf(name)
    try {
      for (let tries = 0; tries < TRIES; tries++) if (await this.#tryOnce(name, path, look)) return 'done'
    } catch (error) {
      if (!isOfThisFile(error)) throw error
      this.#options.warnings.once(path, `it cannot be read or written now: ${reasonOf(error)}`)
      return 'done'
    }
    return 'not finished'
  }

  /** `false`: somebody is writing the file. */
  async #tryOnce(name: FileName, path: string, { isBehind, isPatient }: Look): Promise<boolean> {
    const { folder, warnings } = this.#options
    const found = await folder.look(path)
    if (found.kind === 'blocked') {
      this.#seen.delete(path)
      warnings.once(path, `it is left alone, and its memory is not mirrored: ${found.reason}`)
      return true
    }
    const stamp = found.kind === 'file' ? found.stamp : null
    if (!isBehind && stamp && this.#isUntouched(path, stamp)) return true
    const states = await this.#readStates(name)
    // Deleting a file forgets nothing: it comes back.
    if (!stamp) return states.length === 0 || (await this.#write(path, { name, states, stamp }))
    // An editor may empty a file before it writes it.
    const isBeingWritten = isPatient && !stamp.isSettled
    if (stamp.bytes > MOST_BYTES && stamp.bytes > (await this.#mostBytes(name, states)))
      return await this.#setAside(path, { name, states }, `it has ${stamp.bytes} bytes`)
    const bytes = await folder.read(path)
    const read = readFile(bytes)
    if ('damage' in read)
      return !isBeingWritten && (await this.#setAside(path, { name, states }, read.damage))
    const file = { ...parseFile(name, read.text), ...read }
    const verdict = await this.#judge(name, states, file)
    if (verdict !== 'whole' && isBeingWritten) return false
    if (verdict === 'torn') return await this.#setAside(path, { name, states }, 'it was cut off')
    if (verdict === 'whole') return await this.#takeEdits(path, { name, states, stamp, file })
    if (this.#copied.get(path) !== stamp.text) await this.#copyAside(path, bytes)
    this.#copied.set(path, stamp.text)
    const kept = read.isTerminated ? read.text : withoutLastLine(read.text)
    const cut = { ...parseFile(name, kept), text: read.text, isCut: true }
    return await this.#takeEdits(path, { name, states, stamp, file: cut })
  }

  #isUntouched(path: string, stamp: Stamp): boolean {
    const seen = this.#seen.get(path)
    return seen?.isSettled === true && seen.text === stamp.text
  }

  async #readStates(name: FileName): Promise<readonly MirrorState[]> {
    const { store, namespace } = this.#options
    if (name.layer === 'daily') return await store.readDay(namespace, name.day)
    const states = await store.readMirrorStates(namespace, [name])
    return states.filter(state => state !== null)
  }

  async #mostBytes(name: FileName, states: readonly MirrorState[]): Promise<number> {
    const sizes = (await this.#knownTexts(name, states)).map(text => Buffer.byteLength(text))
    return 2 * Math.max(...sizes)
  }

  /** What the file would say had nobody touched it: as the database has it now, and as last mirrored. */
  async #knownTexts(name: FileName, states: readonly MirrorState[]): Promise<readonly [string, string]> {
    const mirrored: FilePart[] = []
    for (const state of states) {
      const content = await this.#mirroredContent(state)
      if (content !== null) mirrored.push({ ...state, content })
    }
    return [renderFile(name, states), renderFile(name, mirrored)]
  }

  /** A file without its last line is a person's own, or one that was cut off and perhaps edited before. */
  async #judge(
    name: FileName,
    states: readonly MirrorState[],
    file: FileContent & { readonly text: string; readonly isTerminated: boolean },
  ): Promise<'whole' | 'torn' | 'edited and cut off'> {
    if (file.isEnded || states.length === 0) return 'whole'
    const known = await this.#knownTexts(name, states)
    if (known.includes(renderFile(name, file.parts, file.loose))) return 'whole'
    const text = file.isTerminated ? file.text : file.text.slice(0, -1)
    if (known.some(whole => whole.startsWith(text))) return 'torn'
    if (!known.some(whole => haveLineInCommon(whole, file.text))) return 'whole'
    return states.some(({ mirroredVersion }) => mirroredVersion > 0) ? 'edited and cut off' : 'whole'
  }

  async #takeEdits(path: string, { name, states, stamp, file }: Edited): Promise<boolean> {
    const known = new Map(states.map(state => [state.key, state]))
    let isChanged = false
    for (const part of file.parts) {
      const state = known.get(part.key)
      if (!(await this.#takeEdit(path, part, state, file.isCut ?? false))) continue
      isChanged = true
      await this.#noteRead(part, state)
    }
    const current = isChanged ? await this.#readStates(name) : states
    if (current.length === 0) return true
    // Sections of chats that there are not, and what stands above all of them, stay in the file.
    const keys = new Set(current.map(({ key }) => key))
    const strangers = file.parts.filter(({ key }) => !keys.has(key))
    if (file.loose !== '')
      this.#options.warnings.once(path, 'what stands above the first chat belongs to none and is not taken')
    const text = renderFile(name, [...current, ...strangers], file.loose)
    if (text !== file.text) return await this.#write(path, { name, states: current, stamp, text })
    await this.#noteMirrored(path, current, stamp)
    return true
  }

  /** `true`: the document is another one now. */
  async #takeEdit(
    path: string,
    part: FilePart,
    state: MirrorState | undefined,
    isCut: boolean,
  ): Promise<boolean> {
    if (state ? isInLine(state, part.content) : part.content === '') return false
    const known = state
      ? await this.#findVersions(path, state, part.content)
      : { isVersion: false, base: null }
    if (known.isVersion) return false
    return await this.#merge(path, part, isCut ? null : known.base)
  }

  async #merge(path: string, { layer, key, content }: FilePart, base: string | null): Promise<boolean> {
    const { store, namespace, clock, warnings } = this.#options
    let [isChanged, conflicts] = [false, 0]
    try {
      await store.changeDocuments([
        {
          key: { namespace, layer, key },
          change: current => {
            const ours = normalizeMarkdown(current?.content ?? '')
            const merged = current
              ? mergeDocuments({ base, ours, theirs: content })
              : { content, conflicts: 0 }
            isChanged = merged.content !== ours
            conflicts = merged.conflicts
            return isChanged ? { content: merged.content, tokens: estimateTokens(merged.content) } : null
          },
          author: { kind: 'person', name: 'file' },
          sources: [],
          now: clock(),
        },
      ])
    } catch (error) {
      if (!PalimpsestError.isInstance(error) || error.code !== 'session_not_found') throw error
      warnings.once(path, 'there is no such chat, so nothing is taken from it', { key })
      return false
    }
    if (isChanged) this.counts.read++
    if (isChanged && conflicts > 0)
      warnings.always(path, 'some lines were changed here and in the database: both forms stand', {
        conflicts,
      })
    return isChanged
  }

  /** Whether the text is a version that the file may have been written from, and what was last mirrored. */
  async #findVersions(
    path: string,
    state: MirrorState,
    text: string,
  ): Promise<{ isVersion: boolean; base: string | null }> {
    const last = this.#seen.has(path) ? state.mirroredVersion : 1
    for await (const { content } of this.#earlierVersions(state, last))
      if (normalizeMarkdown(content) === text) return { isVersion: true, base: null }
    return { isVersion: false, base: await this.#mirroredContent(state) }
  }

  /** `null`: it is not known. */
  async #mirroredContent(state: MirrorState): Promise<string | null> {
    if (state.mirroredVersion === 0) return null
    if (state.mirroredVersion === state.version) return normalizeMarkdown(state.content)
    const { store, namespace } = this.#options
    const [found] = await store.readDocumentVersions(
      { ...state, namespace },
      { before: state.mirroredVersion + 1, limit: 1 },
    )
    return found ? normalizeMarkdown(found.content) : null
  }

  /** From the one before the current through `last`. */
  async *#earlierVersions(state: MirrorState, last: number): AsyncGenerator<DocumentVersion> {
    const { store, namespace } = this.#options
    for (let before = state.version; before > last; ) {
      const limit = Math.min(VERSIONS_AT_A_TIME, before - last)
      const page = await store.readDocumentVersions({ ...state, namespace }, { before, limit })
      if (page.length === 0) return
      yield* page
      before = page.at(-1)!.version
    }
  }

  /** Nothing is taken from it. */
  async #setAside(path: string, file: Pick<Edited, 'name' | 'states'>, reason: string): Promise<boolean> {
    const { folder, clock, warnings } = this.#options
    const name = await folder.setAside(path, clock())
    this.counts.setAside++
    warnings.always(path, `${reason}; it was set aside as ${name}, and nothing was taken from it`, {
      setAside: name,
    })
    return file.states.length === 0 || (await this.#write(path, { ...file, stamp: null }))
  }

  async #copyAside(path: string, bytes: Uint8Array): Promise<void> {
    const { folder, clock, warnings } = this.#options
    const name = await folder.copyAside(path, bytes, clock())
    this.counts.setAside++
    const message = `it was edited and cut off: what it says was added, nothing was removed; ${name} is a copy`
    warnings.always(path, message, { setAside: name })
  }

  async #write(path: string, { name, states, stamp, text }: Written): Promise<boolean> {
    const written = await this.#options.folder.write(path, text ?? renderFile(name, states), stamp)
    if (!written) return false
    this.counts.written++
    await this.#noteMirrored(path, states, written)
    return true
  }

  /** If it cannot be written back now, it is not read again and again. The document is still behind. */
  async #noteRead({ layer, key, content }: FilePart, state: MirrorState | undefined): Promise<void> {
    const { store, namespace } = this.#options
    const version = state?.mirroredVersion ?? 0
    await store.noteMirrored(namespace, [{ layer, key, version, hash: hashOf(content) }])
  }

  async #noteMirrored(path: string, states: readonly MirrorState[], stamp: Stamp): Promise<void> {
    const { store, namespace, warnings } = this.#options
    const notes = states
      .map(({ layer, key, version, content }) => ({ layer, key, version, hash: hashOf(content) }))
      .filter((note, place) => !isNoted(states[place]!, note))
    if (notes.length > 0) await store.noteMirrored(namespace, notes)
    this.#seen.set(path, stamp)
    warnings.clear(path)
  }
}

export interface Look {
  /** The database says so; else a file that nobody touched needs no look. */
  readonly isBehind: boolean
  /** What looks damaged is left alone for a while, since somebody may be writing it. */
  readonly isPatient: boolean
}

interface Written {
  readonly name: FileName
  readonly states: readonly MirrorState[]
  /** Of the file that it takes the place of; `null`: there is none. */
  readonly stamp: Stamp | null
  readonly text?: string
}

interface Edited {
  readonly name: FileName
  readonly states: readonly MirrorState[]
  readonly stamp: Stamp
  readonly file: FileContent & { readonly text: string; readonly isCut?: boolean }
}

export function pathOf(name: FileName): string {
  return name.layer === 'daily' ? dayFile(name.day) : fileOf(name)
}

/** It concerns all files alike. */
export function isStoreFailure(error: unknown): boolean {
  return PalimpsestError.isInstance(error) && (error.code.startsWith('store_') || error.code === 'closed')
}

/** What the system says of it, or the store of its document; a mistake of ours is no file's fault. */
function isOfThisFile(error: unknown): boolean {
  return typeof Object(error).code === 'string' && !isStoreFailure(error)
}

function reasonOf(error: unknown): string {
  return PalimpsestError.isInstance(error) ? error.message : codeOf(error)
}

function withoutLastLine(text: string): string {
  return text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)
}

function isInLine(state: MirrorState, text: string): boolean {
  return text === normalizeMarkdown(state.content) || hashOf(text) === state.mirroredHash
}

function isNoted(
  { mirroredVersion, mirroredHash }: MirrorState,
  note: { layer: LayerName; version: number; hash: string },
): boolean {
  return mirroredVersion === note.version && mirroredHash === note.hash
}

/** Over the normalised text, so that line ends and the like make no difference. */
function hashOf(content: string): string {
  return createHash('sha256').update(normalizeMarkdown(content)).digest('hex')
}

/** Where they have none, the file was not edited but replaced. */
function haveLineInCommon(one: string, other: string): boolean {
  const lines = new Set(one.split('\n').filter(line => line.trim() !== ''))
  return other.split('\n').some(line => lines.has(line))
}
