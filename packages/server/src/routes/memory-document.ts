import { z } from '@hono/zod-openapi'
import {
  DocumentNotFoundError,
  InvalidArgumentError,
  SessionNotFoundError,
} from 'palimpsest/internals/errors'
import { normalizeMarkdown } from 'palimpsest/internals/memory/document/index'
import type { MemoryContent, MemoryDocument, WriteOptions } from 'palimpsest/internals/memory/index'
import { DOCUMENT, documentJson } from '../document-json.ts'
import { missingDocument, readDocumentName } from '../document-name.ts'
import { type Answer, type Call, type Endpoint, endpoint } from '../endpoint.ts'
import { entityTag, isKnown, requiredVersion } from '../entity-tags.ts'
import { text, wholeNumber, wholeNumberText } from '../fields.ts'
import type { Repeat } from '../idempotency.ts'
import { invalidArguments } from '../problems.ts'

const MAX_VERSIONS = 100
const AUTHOR_RULE = 'a name of 1 to 200 characters'
const AUTHOR = text(AUTHOR_RULE)
  .min(1, { error: AUTHOR_RULE })
  .max(200, { error: AUTHOR_RULE })
  .optional()
  .openapi({ description: 'who writes' })

/** The answer for a key that may write but not read. */
const UNREAD = '{ version, etag } for a key without the scope read'
const WRITTEN = { 200: `${DOCUMENT}, as it is now; ${UNREAD}`, 201: 'the same, where there was none yet' }
const WRITE_HEADERS = {
  'if-match': 'write only if the document has one of these entity tags; anything else is a 412',
  'if-none-match': '*: write only if there is no such document yet',
}

type Named = Pick<Call<unknown, unknown>, 'palimpsest' | 'part'>

/** A path, and how it names a document. */
interface Place {
  readonly path: string
  readonly documentOf: (call: Named) => MemoryDocument
}

/** The first two come first, so that `versions` and `undo` below them are not read as keys. */
const PLACES: readonly Place[] = [
  { path: '/v1/memory/persona', documentOf: ({ palimpsest }) => palimpsest.memory.persona },
  { path: '/v1/memory/global', documentOf: ({ palimpsest }) => palimpsest.memory.global },
  { path: '/v1/memory/{layer}/{key}', documentOf: namedDocument },
]

const DAILY_RULE =
  'a day and a session, as in 2026-02-10/telegram:42, which a path writes 2026-02-10%2Ftelegram%3A42'

function namedDocument({ palimpsest, part }: Named): MemoryDocument {
  const [layer, key] = [part('layer'), part('key')]
  if (layer === 'daily' && !key.includes('/')) throw new InvalidArgumentError('key', key, DAILY_RULE)
  const name = readDocumentName(layer, key)
  return palimpsest.memory.document(name.layer, name.key)
}

const readDocument = ({ path, documentOf }: Place) =>
  endpoint({
    method: 'get',
    path,
    summary: 'Read a memory document',
    headers: { 'if-none-match': 'the entity tags that the caller has' },
    answers: { 200: DOCUMENT, 304: 'the caller has it already' },
    handle: async call => {
      const document = documentOf(call)
      const content = await document.read()
      if (content === null) throw await missingDocument(call.palimpsest, document)
      const headers = { etag: entityTag(content.version) }
      if (isKnown(call.header('if-none-match'), content.version)) return { status: 304, headers }
      return { headers, json: documentJson(content) }
    },
  })

const replaceDocument = ({ path, documentOf }: Place) =>
  endpoint({
    method: 'put',
    path,
    summary: 'Write a whole memory document',
    body: z.strictObject({ content: text(), author: AUTHOR }),
    headers: WRITE_HEADERS,
    answers: WRITTEN,
    handle: async call => {
      const { content, author } = call.body
      return write(call, documentOf(call), {
        author,
        change: (document, options) => document.replace(content, options),
        whole: content,
      })
    },
  })

const changeDocument = ({ path, documentOf }: Place) =>
  endpoint({
    method: 'patch',
    path,
    summary: "Replace a section of a memory document, or add to it; or make a scope's one person's",
    body: z.strictObject({
      section: text().optional().openapi({ description: '"Profile" is "## Profile"; "### Food" is that' }),
      content: text().optional().openapi({ description: 'what the section shall hold' }),
      append: text().optional().openapi({ description: 'what to add, to the section or at the end' }),
      owner: text().optional().openapi({
        description: "of a scope: whose it is from now on, for good; no other person's session is shown it",
      }),
      author: AUTHOR,
    }),
    headers: WRITE_HEADERS,
    answers: WRITTEN,
    handle: async call => {
      const { author, ...change } = call.body
      return write(call, documentOf(call), { author, change: changeOf(change) })
    },
    repeat: repeatedWrite(documentOf),
  })

const listVersions = ({ path, documentOf }: Place) =>
  endpoint({
    method: 'get',
    path: `${path}/versions`,
    summary: 'Read the versions of a memory document, newest first, those before one',
    query: z.strictObject({
      before: wholeNumberText(1).optional(),
      limit: wholeNumberText(1, MAX_VERSIONS).optional(),
    }),
    answers: {
      200: '{ versions: [{ version, content, author, sources, at, undoes }], next }: `next` is the `before` of the next page, null on the last one',
    },
    handle: async call => {
      const { before, limit = 20 } = call.query
      const document = documentOf(call)
      const found = await document.versions({ limit: limit + 1, ...(before !== undefined && { before }) })
      const versions = found.slice(0, limit)
      if (versions.length === 0 && (await document.read()) === null)
        throw await missingDocument(call.palimpsest, document)
      return { json: { versions, next: found.length > limit ? versions.at(-1)!.version : null } }
    },
  })

const undo = ({ path, documentOf }: Place) =>
  endpoint({
    method: 'post',
    path: `${path}/undo`,
    summary:
      'Take back the newest change of a memory document, or that of a version; what came after it stays',
    body: z.strictObject({ version: wholeNumber(1).optional(), author: AUTHOR }),
    answers: { 200: `${DOCUMENT}, as it is now; ${UNREAD}` },
    handle: async call => {
      const { version, author } = call.body
      const document = documentOf(call)
      const content = await document
        .undo({ ...(version !== undefined && { version }), ...authorOf(author) })
        .catch(async error => {
          throw error instanceof DocumentNotFoundError
            ? await missingDocument(call.palimpsest, document)
            : error
        })
      return answerWith(content)
    },
    repeat: repeatedWrite(documentOf),
  })

/** Only the status is kept. A repeat reads the content from the document itself. */
function repeatedWrite(documentOf: Place['documentOf']): Repeat<Call<unknown, unknown>> {
  return {
    keep: ({ status }) => status,
    answer: async (call, status: number) => {
      const document = documentOf(call)
      const content = await document.read()
      if (content === null) throw await missingDocument(call.palimpsest, document)
      return answerWith(content, status)
    },
  }
}

type Change = (document: MemoryDocument, options: WriteOptions) => Promise<MemoryContent>

interface Patch {
  readonly section?: string | undefined
  readonly content?: string | undefined
  readonly append?: string | undefined
  readonly owner?: string | undefined
}

function changeOf(patch: Patch): Change {
  const { section, content, append, owner } = patch
  if (owner !== undefined) return declaring(owner, patch)
  if (append !== undefined && content === undefined)
    return (document, options) =>
      document.append(append, { ...options, ...(section !== undefined && { section }) })
  if (append === undefined && content !== undefined && section !== undefined)
    return (document, options) => document.updateSection(section, content, options)
  const field = append !== undefined ? 'append' : content !== undefined ? 'section' : 'content'
  const allowed = 'either section and content, to replace a section, or append, to add to it or at the end'
  throw invalidArguments([{ field, value: patch[field], allowed }])
}

/** An owner is declared alone. If it is refused, no other change must be half done. */
function declaring(owner: string, { owner: _, ...rest }: Patch): Change {
  const beside = Object.entries(rest).filter(([, value]) => value !== undefined)
  if (beside.length > 0)
    throw invalidArguments(
      beside.map(([field, value]) => ({ field, value, allowed: 'nothing beside owner' })),
    )
  return (document, { ifVersion: _, ...options }) => document.declarePersonal(owner, options)
}

/** A longer text is refused for its length, so it is not checked for being empty. */
const MAX_BLANK_CHARACTERS = 400_000

async function write(
  { palimpsest, header }: Pick<Call<unknown, unknown>, 'palimpsest' | 'header'>,
  document: MemoryDocument,
  { author, change, whole }: { author: string | undefined; change: Change; whole?: string },
): Promise<Answer> {
  const before = await document.read()
  if (before === null) {
    const missing = await missingDocument(palimpsest, document)
    if (missing instanceof SessionNotFoundError) throw missing
    if (whole !== undefined && whole.length <= MAX_BLANK_CHARACTERS && normalizeMarkdown(whole) === '')
      throw new InvalidArgumentError('content', whole, 'text that is not empty, as there is no document yet')
  }
  const { layer, key } = document
  const ifVersion = requiredVersion(
    { layer, key, version: before?.version ?? 0 },
    { ifMatch: header('if-match'), ifNoneMatch: header('if-none-match') },
  )
  const content = await change(document, {
    ...authorOf(author),
    ...(ifVersion !== null && { ifVersion }),
  })
  return answerWith(content, before === null ? 201 : 200)
}

function authorOf(name: string | undefined): Pick<WriteOptions, 'author'> {
  return name === undefined ? {} : { author: { kind: 'person', name } }
}

function answerWith(content: MemoryContent, status = 200): Answer {
  const { version } = content
  const etag = entityTag(version)
  return { status, headers: { etag }, json: { version, etag }, readersJson: documentJson(content) }
}

const CALLS = [readDocument, replaceDocument, changeDocument, listVersions, undo]

export const memoryDocumentRoutes: readonly Endpoint[] = PLACES.flatMap(place =>
  CALLS.map(create => create(place)),
)
