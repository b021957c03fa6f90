import { missingDocument, writtenKey } from '@palimpsest/server/internals/document-name'
import {
  DocumentConflictError,
  InvalidArgumentError,
  PalimpsestError,
  SessionNotFoundError,
} from 'palimpsest/internals/errors'
import {
  checkBody,
  checkSectionName,
  normalizeMarkdown,
  readSection,
  replaceSection,
} from 'palimpsest/internals/memory/document/index'
import { isCondensing, MAX_DOCUMENT_CHARACTERS } from 'palimpsest/internals/memory/document-work'
import type { MemoryContent, MemoryDocument } from 'palimpsest/internals/memory/index'
import { createDraft, edit } from './editor.ts'
import type { EditFlags, WrittenName } from './memory.ts'
import { titleOf } from './memory-text.ts'
import { documentOf, type OpenMemory, openMemory } from './open-memory.ts'
import { personHere } from './person.ts'
import type { Terminal } from './terminal.ts'

export async function editMemory(written: WrittenName, flags: EditFlags, terminal: Terminal): Promise<void> {
  const section = flags.section === undefined ? null : checkSectionName(flags.section)
  await using memory = await openMemory(flags, terminal, { to: 'create' })
  const document = documentOf(memory, written)
  const before = await readBefore(memory, document)
  const draft = new Edit(document, before, section)
  const saved = process.stdin.isTTY ? await editByHand(draft) : await draft.save(await readInput())
  const version = saved?.version ?? before?.version ?? 0
  if (flags.json) {
    const named = { layer: document.layer, key: writtenKey(document) }
    terminal.output.write(`${JSON.stringify({ ...named, version, changed: saved !== null })}\n`)
  } else if (saved === null) terminal.output.write('Nothing changed.\n')
  else
    terminal.output.write(
      `The ${titleOf(document)} is at version ${version} now.${await draft.describeOthers(saved)}\n`,
    )
}

/**
 * Fails before the editor opens where the document cannot be stored: a person should not write for nothing.
 */
async function readBefore(
  { palimpsest }: OpenMemory,
  document: MemoryDocument,
): Promise<MemoryContent | null> {
  const before = await document.read()
  if (before !== null) return before
  const missing = await missingDocument(palimpsest, document)
  if (missing instanceof SessionNotFoundError) throw missing
  return null
}

async function editByHand(draft: Edit): Promise<MemoryContent | null> {
  const file = await createDraft(`${draft.layer}.md`, normalizeMarkdown(draft.shown))
  const text = await edit(file)
  const saved = await draft.save(text).catch(error => {
    throw withDraft(error, file.path)
  })
  await file.remove()
  return saved
}

function withDraft(error: unknown, file: string): unknown {
  if (!PalimpsestError.isInstance(error)) return error
  const { code, message, details } = error
  return new PalimpsestError(
    code,
    `${message}\nWhat you wrote is in ${file}.`,
    { ...details, file },
    { cause: error },
  )
}

/** One person's change to a document, or to one of its sections. */
class Edit {
  readonly #document: MemoryDocument
  readonly #before: MemoryContent | null
  readonly #section: string | null

  constructor(document: MemoryDocument, before: MemoryContent | null, section: string | null) {
    this.#document = document
    this.#before = before
    this.#section = section
  }

  get layer(): string {
    return this.#document.layer
  }

  /** The text that the person is given to change. */
  get shown(): string {
    const content = this.#before?.content ?? ''
    return this.#section === null ? content : (readSection(content, this.#section) ?? '')
  }

  /** `null`: the text is unchanged. */
  async save(text: string): Promise<MemoryContent | null> {
    if (normalizeMarkdown(text) === normalizeMarkdown(this.shown)) return null
    const author = personHere()
    const [document, before, section] = [this.#document, this.#before, this.#section]
    if (before !== null)
      return document.merge(this.#whole(text, before.content), { base: before.content, author })
    if (section !== null) return document.updateSection(section, text, { author })
    return document.replace(text, { author, ifVersion: 0 }).catch(error => {
      if (!(error instanceof DocumentConflictError)) throw error
      return document.merge(text, { base: '', author })
    })
  }

  #whole(text: string, content: string): string {
    const section = this.#section
    return section === null ? text : replaceSection(content, section, checkBody('content', text, section))
  }

  /** Tells what else happened to the document since the person saw it. */
  async describeOthers({ version, budget }: MemoryContent): Promise<string> {
    const since = await this.#document.versions({ limit: version - (this.#before?.version ?? 0) })
    const condensed = since.filter(isCondensing)
    return [
      since.length - condensed.length > 1 && ' What others wrote meanwhile is in it, too.',
      condensed.length > 0 && ` Its oldest lines were condensed, as it may have ${budget} tokens.`,
    ]
      .filter(Boolean)
      .join('')
  }
}

/** The largest document with 8 bytes a character. Longer input is not a document. */
const MAX_BYTES = MAX_DOCUMENT_CHARACTERS * 8

/**
 * Reads standard input in place of an editor. Empty input is refused: it is more likely a mistake than a
 * wish.
 */
async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    bytes += chunk.length
    if (bytes > MAX_BYTES)
      throw new InvalidArgumentError(
        'standard input',
        `more than ${MAX_BYTES} bytes`,
        `a document of at most ${MAX_DOCUMENT_CHARACTERS} characters`,
      )
    chunks.push(chunk)
  }
  const text = decodeInput(Buffer.concat(chunks))
  if (normalizeMarkdown(text) !== '') return text
  throw new InvalidArgumentError(
    'standard input',
    text,
    'the new text; with a terminal there, it is edited in $EDITOR',
  )
}

function decodeInput(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InvalidArgumentError('standard input', `${bytes.length} bytes`, 'text in UTF-8')
  }
}
