import { createHash } from 'node:crypto'
import { PalimpsestError } from '../../errors.ts'
import { isNewId } from '../../log/index.ts'
import type { DocumentVersion, LayerName, MirrorState, Store } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { normalizeMarkdown } from '../document/index.ts'
import { dayFile, fileOf } from './file-names.ts'
import { codeOf, type Folder, type Stamp } from './folder.ts'
import { hasLostLines } from './lost-lines.ts'
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
  /** Whether this process may still write the files. */
  readonly isHeld: () => Promise<boolean>
}

export interface SyncCounts {
  /** The number of files. */
  written: number
  /** The number of documents that a person changed in their files. */
  read: number
  /** The number of files that were moved aside or copied aside. */
  setAside: number
}

/** A larger file is not read as memory, unless the documents themselves are as large. */
export const MAX_BYTES = 1_000_000
const VERSIONS_AT_A_TIME = 200
/** If another program keeps writing a file, a later pass tries again. */
const TRIES = 3

/**
 * Reconciles one file with its documents, in both directions. What always holds: text of a person is in the
 * database or set aside before it is overwritten. Nothing is taken from a damaged file. A document counts as
 * mirrored only when its file says the same. An erasure comes first: if a document lost lines to an erasure,
 * nothing is taken from its file, and nothing is set aside.
 *
 * A text is an edit if it is neither the last mirrored version, nor the present one, nor a version in
 * between. A process that ends after a write and before its note leaves a version in between. At the first
 * look of a process, any version counts as unedited, since files may also come from a restored copy. Later,
 * an older version is an edit: a person took a change back.
 */
export class Mirror {
  readonly #options: MirrorOptions
  /** Files that matched at the last look, with their stamps. */
  readonly #seen = new Map<string, Stamp>()
  /**
   * Files with a copy set aside, with their stamps. If such a file cannot be written, no further copy is
   * made.
   */
  readonly #copied = new Map<string, string>()
  readonly counts: SyncCounts = { written: 0, read: 0, setAside: 0 }
  /**
   * The number of files written again because their documents lost lines to an erasure, and of removed
   * copies.
   */
  followed = 0

  constructor(options: MirrorOptions) {
    this.#options = options
  }

  /** The file is gone, or it is another one. */
  forget(path: string): void {
    this.#seen.delete(path)
    this.#copied.delete(path)
    this.#options.warnings.clear(path)
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

  /** `false`: another program is writing the file. */
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
    const lost = await this.#findLostLines(states)
    if (lost.size > 0) await this.#removeCopies(path)
    if (lost.size > 0 && stamp) this.followed += 1
    // Deleting a file does not delete its memory. The file is written again.
    if (!stamp) return states.length === 0 || (await this.#write(path, { name, states, stamp }))
    // An editor may empty a file before it writes it.
    const isBeingWritten = isPatient && !stamp.isSettled
    const setAside = (reason: string) =>
      lost.size > 0
        ? this.#write(path, { name, states, stamp })
        : this.#setAside(path, { name, states }, reason)
    if (stamp.bytes > MAX_BYTES && stamp.bytes > (await this.#mostBytes(name, states)))
      return await setAside(`it has ${stamp.bytes} bytes`)
    const bytes = await folder.read(path)
    const read = readFile(bytes)
    if ('damage' in read) return !isBeingWritten && (await setAside(read.damage))
    const file = { ...parseFile(name, read.text), ...read }
    const verdict = await this.#judge(name, states, file)
    if (verdict !== 'whole' && isBeingWritten) return false
    if (verdict === 'torn' || (verdict !== 'whole' && lost.size > 0)) return await setAside('it was cut off')
    if (verdict === 'whole') return await this.#takeEdits(path, { name, states, stamp, file, lost })
    if (this.#copied.get(path) !== stamp.text) await this.#copyAside(path, bytes)
    this.#copied.set(path, stamp.text)
    const kept = read.isTerminated ? read.text : withoutLastLine(read.text)
    const cut = { ...parseFile(name, kept), text: read.text, isCut: true }
    return await this.#takeEdits(path, { name, states, stamp, file: cut, lost })
  }

  /** The keys of the file's documents that lost lines to an erasure since they were mirrored. */
  async #findLostLines(states: readonly MirrorState[]): Promise<ReadonlySet<string>> {
    const { store, namespace } = this.#options
    const lost = new Set<string>()
    for (const state of states) if (await hasLostLines(store.documents, namespace, state)) lost.add(state.key)
    return lost
  }

  async #removeCopies(path: string): Promise<void> {
    const { folder } = this.#options
    const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
    const copies = (await folder.listCopies(parent)).get(path) ?? []
    for (const copy of copies) this.followed += (await folder.remove(copy)) ? 1 : 0
    if (copies.length > 0) await folder.sync(parent)
  }

  #isUntouched(path: string, stamp: Stamp): boolean {
    const seen = this.#seen.get(path)
    return seen?.isSettled === true && seen.text === stamp.text
  }

  async #readStates(name: FileName): Promise<readonly MirrorState[]> {
    const { store, namespace } = this.#options
    if (name.layer === 'daily') return await store.mirror.readDay(namespace, name.day)
    const states = await store.mirror.readMirrorStates(namespace, [name])
    return states.filter(state => state !== null)
  }

  async #mostBytes(name: FileName, states: readonly MirrorState[]): Promise<number> {
    const sizes = (await this.#knownTexts(name, states)).map(text => Buffer.byteLength(text))
    return 2 * Math.max(...sizes)
  }

  /** The text that an untouched file would have: by the present documents, and by the mirrored versions. */
  async #knownTexts(name: FileName, states: readonly MirrorState[]): Promise<readonly [string, string]> {
    const mirrored: FilePart[] = []
    for (const state of states) {
      const content = await this.#mirroredContent(state)
      if (content !== null) mirrored.push({ ...state, content })
    }
    return [renderFile(name, states), renderFile(name, mirrored)]
  }

  /**
   * A file without its last line was written by a person, or it was cut off. A cut-off file may have been
   * edited before that.
   */
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

  async #takeEdits(path: string, edited: Edited): Promise<boolean> {
    const { name, states, stamp, file } = edited
    const known = new Map(states.map(state => [state.key, state]))
    let isChanged = false
    for (const part of file.parts) {
      const state = known.get(part.key)
      const taken = await this.#takeEdit(path, part, state, edited)
      if (taken === 'overtaken') return false
      if (taken === 'nothing') continue
      isChanged = true
      await this.#noteRead(part, state)
    }
    const current = isChanged ? await this.#readStates(name) : states
    // If documents lost lines meanwhile, the copies of the file have to go first.
    if (isChanged && (await this.#findLostLines(current)).size > edited.lost.size) return false
    if (current.length === 0) return true
    // Sections of unknown chats, and text above all sections, stay in the file.
    const keys = new Set(current.map(({ key }) => key))
    const strangers = file.parts.filter(({ key }) => !keys.has(key))
    if (file.loose !== '')
      this.#options.warnings.once(path, 'what stands above the first chat belongs to none and is not taken')
    const text = renderFile(name, [...current, ...strangers], file.loose)
    if (text !== file.text) return await this.#write(path, { name, states: current, stamp, text })
    await this.#noteMirrored(path, current, stamp)
    return true
  }

  async #takeEdit(
    path: string,
    part: FilePart,
    state: MirrorState | undefined,
    { file, stamp, lost }: Edited,
  ): Promise<Taken> {
    if (state ? isInLine(state, part.content) : part.content === '') return 'nothing'
    if (lost.has(part.key)) {
      const message = 'its memory lost lines to an erasure; what was edited here meanwhile is not taken'
      this.#options.warnings.always(path, message)
      return 'nothing'
    }
    const known = state
      ? await this.#findVersions(path, state, part.content)
      : { isVersion: false, base: null }
    if (known.isVersion) return 'nothing'
    if (!(await this.#mayTake(path, part, stamp))) return 'overtaken'
    return await this.#merge(path, part, { state, base: file.isCut ? null : known.base })
  }

  /**
   * Whether the document is not erased and the file is still there. This order matters: an erasure removes
   * the file first and its own note afterwards.
   */
  async #mayTake(path: string, { layer, key }: FilePart, stamp: Stamp): Promise<boolean> {
    const { store, namespace, folder, isHeld } = this.#options
    if (!(await isHeld())) return false
    const erased = await store.mirror.listErasedDocuments(namespace)
    if (erased.some(document => document.layer === layer && document.key === key)) return false
    const found = await folder.look(path)
    return found.kind === 'file' && found.stamp.text === stamp.text
  }

  async #merge(
    path: string,
    { layer, key, content }: FilePart,
    { state, base }: { state: MirrorState | undefined; base: string | null },
  ): Promise<Taken> {
    const { store, namespace, clock, warnings } = this.#options
    if (state === undefined && !isNewId(key) && key !== '') {
      warnings.once(path, 'its name stands for no id, so nothing is taken from it', { key })
      return 'nothing'
    }
    const result: { taken: Taken; conflicts: number } = { taken: 'nothing', conflicts: 0 }
    try {
      await store.documents.changeDocuments([
        {
          key: { namespace, layer, key },
          change: current => {
            result.taken = 'overtaken'
            // The version that was compared may have been erased meanwhile.
            if ((current?.version ?? 0) !== (state?.version ?? 0)) return null
            const ours = normalizeMarkdown(current?.content ?? '')
            const merged = current
              ? mergeDocuments({ base, ours, theirs: content })
              : { content, conflicts: 0 }
            result.taken = merged.content === ours ? 'nothing' : 'changed'
            result.conflicts = merged.conflicts
            if (merged.content === ours) return null
            return { content: merged.content, tokens: estimateTokens(merged.content) }
          },
          author: { kind: 'person', name: 'file' },
          sources: [],
          now: clock(),
        },
      ])
    } catch (error) {
      if (!PalimpsestError.isInstance(error) || error.code !== 'session_not_found') throw error
      warnings.once(path, 'there is no such chat, so nothing is taken from it', { key })
      return 'nothing'
    }
    const { taken, conflicts } = result
    if (taken === 'changed') this.counts.read++
    if (taken === 'changed' && conflicts > 0)
      warnings.always(path, 'some lines were changed here and in the database: both forms stand', {
        conflicts,
      })
    return taken
  }

  /** Whether the text is a version that the file may have had, and the last mirrored text. */
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

  /** `null`: the text is not known. */
  async #mirroredContent(state: MirrorState): Promise<string | null> {
    if (state.mirroredVersion === 0) return null
    if (state.mirroredVersion === state.version) return normalizeMarkdown(state.content)
    const { store, namespace } = this.#options
    const [found] = await store.documents.readDocumentVersions(
      { ...state, namespace },
      { before: state.mirroredVersion + 1, limit: 1 },
    )
    return found ? normalizeMarkdown(found.content) : null
  }

  /** The versions from the one before the present one down to `last`. */
  async *#earlierVersions(state: MirrorState, last: number): AsyncGenerator<DocumentVersion> {
    const { store, namespace } = this.#options
    for (let before = state.version; before > last; ) {
      const limit = Math.min(VERSIONS_AT_A_TIME, before - last)
      const page = await store.documents.readDocumentVersions({ ...state, namespace }, { before, limit })
      if (page.length === 0) return
      yield* page
      before = page.at(-1)!.version
    }
  }

  /** Takes nothing from the file. */
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
    const { folder, isHeld } = this.#options
    if (!(await isHeld())) return false
    const written = await folder.write(path, text ?? renderFile(name, states), stamp)
    if (!written) return false
    this.counts.written++
    await this.#noteMirrored(path, states, written)
    return true
  }

  /**
   * Notes the edit as read. If the file cannot be written now, the same edit is not read again. The document
   * still counts as behind.
   */
  async #noteRead({ layer, key, content }: FilePart, state: MirrorState | undefined): Promise<void> {
    const { store, namespace } = this.#options
    const version = state?.mirroredVersion ?? 0
    await store.mirror.noteMirrored(namespace, [{ layer, key, version, hash: hashOf(content) }])
  }

  async #noteMirrored(path: string, states: readonly MirrorState[], stamp: Stamp): Promise<void> {
    const { store, namespace, warnings } = this.#options
    const notes = states
      .map(({ layer, key, version, content }) => ({ layer, key, version, hash: hashOf(content) }))
      .filter((note, place) => !isNoted(states[place]!, note))
    if (notes.length > 0) await store.mirror.noteMirrored(namespace, notes)
    this.#seen.set(path, stamp)
    warnings.clear(path)
  }
}

export interface Look {
  /** Whether the database has a newer version. If not, an untouched file needs no look. */
  readonly isBehind: boolean
  /** Whether a damaged file is left alone for a while, since another program may be writing it. */
  readonly isPatient: boolean
}

interface Written {
  readonly name: FileName
  readonly states: readonly MirrorState[]
  /** The stamp of the file that is replaced. `null`: there is none. */
  readonly stamp: Stamp | null
  readonly text?: string
}

interface Edited {
  readonly name: FileName
  readonly states: readonly MirrorState[]
  readonly stamp: Stamp
  readonly file: FileContent & { readonly text: string; readonly isCut?: boolean }
  /** Documents that lost lines to an erasure. The file's text for them is ignored. */
  readonly lost: ReadonlySet<string>
}

/**
 * The result of an edit. `overtaken`: the document or the file has changed meanwhile, so it is looked at
 * again.
 */
type Taken = 'nothing' | 'changed' | 'overtaken'

export function pathOf(name: FileName): string {
  return name.layer === 'daily' ? dayFile(name.day) : fileOf(name)
}

/** Whether the failure affects all files. */
export function isStoreFailure(error: unknown): boolean {
  return PalimpsestError.isInstance(error) && (error.code.startsWith('store_') || error.code === 'closed')
}

/**
 * Whether the error comes from the system or from the store of this document. A bug of ours is not the fault
 * of a file.
 */
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

/** The hash of the normalised text, so that line breaks make no difference. */
function hashOf(content: string): string {
  return createHash('sha256').update(normalizeMarkdown(content)).digest('hex')
}

/** If they have no line in common, the file was replaced and not edited. */
function haveLineInCommon(one: string, other: string): boolean {
  const lines = new Set(one.split('\n').filter(line => line.trim() !== ''))
  return other.split('\n').some(line => lines.has(line))
}
