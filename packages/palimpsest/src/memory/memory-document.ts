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
  /** The budget in tokens. A larger document is condensed if possible. If not, only a part of it is shown. */
  readonly budget: number
}

export interface WriteOptions {
  /** The author of the write. Left out: a person. */
  readonly author?: Author | string
  /** The messages that led to the write. */
  readonly sources?: readonly Source[]
  /** Write only if the document has this version. 0: write only if it does not exist yet. */
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
  /** Throws if the session is not the one that the caller opened. */
  readonly check: () => Promise<void>
  /** Makes the session if it does not exist yet. */
  readonly create: () => Promise<void>
  /** The key that writes carry, if the caller has seen something of the session. */
  readonly from?: SessionKey
}

const MAX_UNDO_STEPS = 200
const MAX_TRIES = 5

/** Loads the code for reads and writes with the first use, since most processes start without one. */
const load = () => import('./document-work.ts')
type Work = Awaited<ReturnType<typeof load>>

/** A handle on one memory document. It costs nothing. The first write creates the document. */
export class MemoryDocument {
  readonly #engine: MemoryEngine
  readonly #key: DocumentKey
  /** Set for the documents of a chat. */
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

  /** Reads the text under a heading. `null`: there is no such section. */
  async section(section: string): Promise<string | null> {
    const { checkSectionName, readSection, sectionIn } = await load()
    const name = checkSectionName(section)
    const document = await this.#checked(this.#engine.store.documents.readDocument(this.#key))
    return document && readSection(document.content, sectionIn(document.content, name))
  }

  /** Replaces the text under a heading. A missing section is added. */
  async updateSection(section: string, content: string, options?: WriteOptions): Promise<MemoryContent> {
    checkOptions('updateSection', options, WRITE)
    const { checkBody, checkSectionName, replaceSection, sectionIn } = await load()
    const name = checkSectionName(section)
    const body = checkBody('content', content, name)
    return this.#write(current => replaceSection(current, sectionIn(current, name), body), options)
  }

  /**
   * Adds text to the end of a section, or of the document.
   * @example await palimpsest.memory.user('ann').append('- Likes tea', { section: 'Preferences' })
   */
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

  /** Replaces the whole document. */
  async replace(content: string, options?: WriteOptions): Promise<MemoryContent> {
    checkOptions('memory.replace', options, WRITE)
    const text = (await load()).checkText(content)
    return this.#write(() => text, options)
  }

  /**
   * Makes a scope personal, for good. From now on, only the owner's private chats and agents' threads of the
   * scope show it and feed it by themselves. Other sessions no longer show it, even if they did before.
   * @example await palimpsest.memory.scope('diary').declarePersonal('ann')
   */
  async declarePersonal(owner: string, options: Pick<WriteOptions, 'author'> = {}): Promise<MemoryContent> {
    checkOptions('declarePersonal', options, DECLARE)
    if (this.layer !== 'scope') throw new InvalidArgumentError('layer', this.layer, 'scope')
    if (!isNewId(owner)) throw new InvalidArgumentError('owner', owner, NEW_ID_RULE)
    return this.#write(content => content, options, { owner })
  }

  /** Merges an edit of an earlier version with later writes. On a conflict, both forms stay. */
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

  /** What was learned, and from which messages. `all` includes facts that no longer hold. */
  async facts(which: 'current' | 'all' = 'current'): Promise<readonly Fact[]> {
    return this.#checked(this.#engine.store.documents.readFacts(this.#key, which))
  }

  /** Checks the session after the read, since another session may get the same name until then. */
  async #checked<Result>(reading: Promise<Result>): Promise<Result> {
    try {
      return await reading
    } finally {
      await this.#session?.check()
    }
  }

  /**
   * Takes back the newest change that is not taken back yet, or that of a given version. Later writes stay.
   * The undo is a version of its own, so it can be taken back by its number.
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

  /** A version and the one before it. Condensing is no change by an author, so it is passed over. */
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
    // A change that was taken back must stay so. So the document is not condensed here, even if it is too
    // large.
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

/** The server uses the key in its paths. The key of a chat is checked when its session is made. */
function checkNewKey({ layer, key }: DocumentKey): void {
  const isNamed = layer === 'user' || layer === 'scope'
  if (isNamed && !isNewId(key)) throw new InvalidArgumentError('key', key, NEW_ID_RULE)
}
