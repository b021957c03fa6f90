import { DocumentConflictError, DocumentNotFoundError, InvalidArgumentError } from '../errors.ts'
import { checkOptions, optionsOf } from '../known-options.ts'
import { isNewId, NEW_ID_RULE } from '../log/index.ts'
import type {
  Author,
  DocumentKey,
  DocumentRecord,
  DocumentVersion,
  DocumentWrite,
  Fact,
  SessionKey,
  Source,
} from '../store/index.ts'
import type { Section } from './document/index.ts'
import type { MemoryEngine } from './engine.ts'

/** A document as people and programs read it. */
export interface MemoryContent extends DocumentRecord {
  readonly sections: readonly Section[]
  /** In tokens. Above it, it is condensed where it can be, and shown in part where it cannot. */
  readonly budget: number
}

export interface WriteOptions {
  /** Who writes; left out: a person. */
  readonly author?: Author | string
  /** The messages behind it. */
  readonly sources?: readonly Source[]
  /** Only if the document is at this version; 0: only if there is none yet. */
  readonly ifVersion?: number
}

interface SectionOptions extends WriteOptions {
  readonly section?: string
}

interface MergeOptions extends WriteOptions {
  readonly base: string
}

interface VersionsPage {
  readonly before?: number
  readonly limit?: number
}

interface UndoOptions {
  readonly version?: number
  readonly author?: WriteOptions['author']
}

const WRITE = optionsOf<WriteOptions>({ author: true, sources: true, ifVersion: true })
const APPEND = new Set([...WRITE, 'section'])
const MERGE = new Set([...WRITE, 'base'])
const DECLARE = optionsOf<Pick<WriteOptions, 'author'>>({ author: true })
const VERSIONS = optionsOf<VersionsPage>({ before: true, limit: true })
const UNDO = optionsOf<UndoOptions>({ version: true, author: true })

/** The session that a document belongs to, as the caller opened it. */
interface OwnSession {
  /** Throws where the session is not what the caller takes it for. */
  readonly check: () => Promise<void>
  /** Makes it where there is none yet. */
  readonly create: () => Promise<void>
  /** Where the caller has seen something of it: the key of what it writes. */
  readonly from?: SessionKey
}

const MAX_UNDO_STEPS = 200
const MAX_TRIES = 5

/** What reading and writing takes: loaded with the first use, since most processes start without one. */
const load = () => import('./document-work.ts')
type Work = Awaited<ReturnType<typeof load>>

/** A handle on one memory document. It costs nothing; the first write creates the document. */
export class MemoryDocument {
  readonly #engine: MemoryEngine
  readonly #key: DocumentKey
  /** Of a chat's own documents. */
  readonly #session: OwnSession | null

  constructor(engine: MemoryEngine, key: Omit<DocumentKey, 'namespace'>, session: OwnSession | null = null) {
    this.#engine = engine
    this.#key = { namespace: engine.namespace, ...key }
    this.#session = session
  }

  get layer(): DocumentKey['layer'] {
    return this.#key.layer
  }

  get key(): string {
    return this.#key.key
  }

  /** `null` before the first write. */
  async read(): Promise<MemoryContent | null> {
    const document = await this.#checked(this.#engine.store.documents.readDocument(this.#key))
    return document && this.#toContent(document, await load())
  }

  /** What stands under a heading; `null`: there is no such section. */
  async section(section: string): Promise<string | null> {
    const { checkSectionName, readSection, sectionIn } = await load()
    const name = checkSectionName(section)
    const document = await this.#checked(this.#engine.store.documents.readDocument(this.#key))
    return document && readSection(document.content, sectionIn(document.content, name))
  }

  /** Replaces what stands under a heading; a section that is not there is added. */
  async updateSection(section: string, content: string, options?: WriteOptions): Promise<MemoryContent> {
    checkOptions('updateSection', options, WRITE)
    const { checkBody, checkSectionName, replaceSection, sectionIn } = await load()
    const name = checkSectionName(section)
    const body = checkBody('content', content, name)
    return this.#write(current => replaceSection(current, sectionIn(current, name), body), options)
  }

  /** Adds to the end of a section, or of the document. */
  async append(content: string, options: SectionOptions = {}): Promise<MemoryContent> {
    checkOptions('memory.append', options, APPEND)
    const { appendText, checkBody, checkSectionName, checkText, sectionIn } = await load()
    const { section, ...rest } = options
    const name = section === undefined ? undefined : checkSectionName(section)
    const body = name === undefined ? checkText(content) : checkBody('content', content, name)
    if (body.trim() === '') throw new InvalidArgumentError('content', content, 'text that is not empty')
    return this.#write(
      current => appendText(current, body, name === undefined ? undefined : sectionIn(current, name)),
      rest,
    )
  }

  /** The whole of it, as it shall be. */
  async replace(content: string, options?: WriteOptions): Promise<MemoryContent> {
    checkOptions('memory.replace', options, WRITE)
    const text = (await load()).checkText(content)
    return this.#write(() => text, options)
  }

  /**
   * Of a scope: makes it one person's, for good. From now on it is shown in that person's private chats and agents'
   * threads of the scope alone, which feed it by themselves; to no other session, whatever it was shown before.
   * @example await palimpsest.memory.scope('diary').declarePersonal('ann')
   */
  async declarePersonal(owner: string, options: Pick<WriteOptions, 'author'> = {}): Promise<MemoryContent> {
    checkOptions('declarePersonal', options, DECLARE)
    if (this.layer !== 'scope') throw new InvalidArgumentError('layer', this.layer, 'scope')
    if (!isNewId(owner)) throw new InvalidArgumentError('owner', owner, NEW_ID_RULE)
    return this.#write(content => content, options, { owner })
  }

  /** An edit of an earlier version, with what was written since: a conflict keeps both. */
  async merge(content: string, merging: MergeOptions): Promise<MemoryContent> {
    checkOptions('memory.merge', merging, MERGE)
    const { base, ...options } = merging
    const { checkText, mergeDocuments } = await load()
    const theirs = checkText(content)
    return this.#write(current => mergeDocuments({ base, ours: current, theirs }).content, options)
  }

  /** Newest first. */
  async versions(page: VersionsPage = {}): Promise<readonly DocumentVersion[]> {
    checkOptions('versions', page, VERSIONS)
    const { limit = 50, before } = page
    const rest = before === undefined ? {} : { before }
    for (const [field, value] of Object.entries({ limit, ...rest }))
      if (!Number.isSafeInteger(value) || value < 0)
        throw new InvalidArgumentError(field, value, 'a whole number of at least 0')
    return this.#checked(this.#engine.store.documents.readDocumentVersions(this.#key, { limit, ...rest }))
  }

  /** What was learned, from which messages. `all`: what holds no longer, too. */
  async facts(which: 'current' | 'all' = 'current'): Promise<readonly Fact[]> {
    return this.#checked(this.#engine.store.documents.readFacts(this.#key, which))
  }

  /** Once it is read: until then another session may have come by the name. */
  async #checked<Result>(reading: Promise<Result>): Promise<Result> {
    try {
      return await reading
    } finally {
      await this.#session?.check()
    }
  }

  /**
   * Takes back the newest change that was not taken back yet, or the one of a given version; what was written
   * since stays. It is a version of its own, and can be undone by naming it.
   */
  async undo(options: UndoOptions = {}): Promise<MemoryContent> {
    checkOptions('undo', options, UNDO)
    const { mergeDocuments } = await load()
    for (let tries = 1; ; tries++) {
      const current = await this.read()
      if (current === null) throw new DocumentNotFoundError(this.#key)
      const [change, before] = await this.#toUndo(current.version, options.version)
      const undone = change!
      const theirs = before?.content ?? ''
      try {
        const restored = await this.#write(
          content => mergeDocuments({ base: undone.content, ours: content, theirs }).content,
          { ...(options.author && { author: options.author }), ifVersion: current.version },
          { undoes: undone.version },
        )
        if (restored.version > current.version) return restored
      } catch (error) {
        if (!(error instanceof DocumentConflictError) || tries >= MAX_TRIES) throw error
        continue
      }
      throw new InvalidArgumentError(
        'version',
        undone.version,
        'a version whose change still stands: what this one brought is gone already, or was changed since',
      )
    }
  }

  /** A version and the one before it. Condensing is nobody's change: it is passed over. */
  async #toUndo(newest: number, wanted: number | undefined): Promise<readonly DocumentVersion[]> {
    if (wanted !== undefined) {
      if (!Number.isSafeInteger(wanted) || wanted < 1 || wanted > newest)
        throw new InvalidArgumentError('version', wanted, `a version from 1 to ${newest}`)
      const found = await this.versions({ before: wanted + 1, limit: 2 })
      if (found.length > 0) return found
      throw new InvalidArgumentError('version', wanted, 'a version that is there: this one was erased')
    }
    const { isCondensing } = await load()
    const versions = await this.versions({ limit: MAX_UNDO_STEPS })
    // Newest first: an undo that was taken back itself has taken nothing back.
    const undone = new Set<number>()
    for (const { version, undoes } of versions)
      if (undoes !== null && !undone.has(version)) undone.add(undoes)
    const place = versions.findIndex(
      version => version.undoes === null && !undone.has(version.version) && !isCondensing(version),
    )
    if (place === -1)
      throw new InvalidArgumentError('version', 'none', 'a number: every change was taken back already')
    return this.versions({ before: versions[place]!.version + 1, limit: 2 })
  }

  async #write(
    change: (content: string) => string,
    { author = 'person', sources = [], ifVersion }: WriteOptions = {},
    { undoes, owner }: { readonly undoes?: number; readonly owner?: string } = {},
  ): Promise<MemoryContent> {
    const { store, clock, noteChange } = this.#engine
    const work = await load()
    await this.#session?.check()
    const initial = await this.#initial(work)
    const write: DocumentWrite = {
      key: this.#key,
      ...(owner !== undefined && { owner }),
      ...(this.#session?.from && { from: this.#session.from }),
      change: current => {
        if (current === null) checkNewKey(this.#key)
        if (ifVersion !== undefined && ifVersion !== (current?.version ?? 0))
          throw new DocumentConflictError(this.#key, { expected: ifVersion, actual: current?.version ?? 0 })
        const content = work.checkSize(work.normalizeMarkdown(change(current?.content ?? initial)))
        return {
          content,
          tokens: work.estimateTokens(content),
          ...(undoes !== undefined && { undoes }),
        }
      },
      author:
        typeof author === 'string' ? { kind: 'person', name: author === 'person' ? null : author } : author,
      sources,
      now: clock(),
    }
    const [written] = await store.documents.changeDocuments([write])
    if (!written) throw new InvalidArgumentError('content', '', 'text that is not empty, in a new document')
    noteChange()
    // What was taken back stays so, whatever its size.
    const condensed =
      undoes === undefined &&
      (await work.condenseDocument(this.#engine, { key: this.#key, document: written }))
    return this.#toContent(condensed || written, work)
  }

  async #initial({ initialContent }: Work): Promise<string> {
    const initial = await initialContent(this.#engine, this.#key)
    if (initial !== null || this.#session === null) return initial ?? ''
    await this.#session.create()
    return (await initialContent(this.#engine, this.#key)) ?? ''
  }

  #toContent(document: DocumentRecord, { listSections }: Work): MemoryContent {
    const budget = this.#engine.layerBudgets[document.layer]
    return { ...document, sections: listSections(document.content), budget }
  }
}

/** The key stands in the paths of the server. Those of a chat are refused where its session is made. */
function checkNewKey({ layer, key }: DocumentKey): void {
  const isNamed = layer === 'user' || layer === 'scope'
  if (isNamed && !isNewId(key)) throw new InvalidArgumentError('key', key, NEW_ID_RULE)
}
