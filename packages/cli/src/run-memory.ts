import { writtenKey } from '@palimpsest/server/internals/document-name'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { checkSectionName, listSections, readSection } from 'palimpsest/internals/memory/document/index'
import type { MemoryDocument } from 'palimpsest/internals/memory/index'
import {
  type DocumentRecord,
  type DocumentVersion,
  LAYERS,
  type LayerName,
} from 'palimpsest/internals/store/index'
import { inertLine, inertText } from './inert-text.ts'
import type { HistoryFlags, ListFlags, ShowFlags, UndoFlags, WrittenName } from './memory.ts'
import { authorText, countLines, countText, timeText, titleOf } from './memory-text.ts'
import { documentOf, type OpenMemory, openMemory, readExisting } from './open-memory.ts'
import { personHere } from './person.ts'
import type { Terminal } from './terminal.ts'
import { drawTable, left, right } from './text-layout.ts'

const DOCUMENTS_AT_A_TIME = 500

type Listed = Omit<DocumentRecord, 'content'>

export async function listMemory(flags: ListFlags, terminal: Terminal): Promise<void> {
  const layer = flags.layer === undefined ? null : checkLayer(flags.layer)
  await using memory = await openMemory(flags, terminal, { to: 'read' })
  const documents = await listAll(memory, layer)
  terminal.output.write(flags.json ? listJson(documents, memory) : listText(documents, memory))
}

function checkLayer(layer: string): LayerName {
  if (LAYERS.includes(layer as LayerName)) return layer as LayerName
  throw new InvalidArgumentError('--layer', layer, LAYERS.join(', '))
}

async function listAll({ palimpsest }: OpenMemory, layer: LayerName | null): Promise<readonly Listed[]> {
  const documents: Listed[] = []
  for (;;) {
    const after = documents.at(-1)
    const page = await palimpsest.memory.list({
      limit: DOCUMENTS_AT_A_TIME,
      ...(layer && { layer }),
      ...(after && { after }),
    })
    documents.push(...page)
    if (page.length < DOCUMENTS_AT_A_TIME) return documents
  }
}

function listJson(documents: readonly Listed[], { budgets }: OpenMemory): string {
  const listed = documents.map(document => ({
    ...document,
    key: writtenKey(document),
    budget: budgets[document.layer],
  }))
  return `${JSON.stringify({ documents: listed })}\n`
}

function listText(documents: readonly Listed[], { budgets, zone }: OpenMemory): string {
  if (documents.length === 0) return 'There are no memory documents yet.\n'
  const headings = [left('layer'), left('key'), right('version'), right('tokens'), left(`updated (${zone})`)]
  return drawTable(
    headings,
    documents.map(({ layer, key, version, tokens, updatedAt }) => [
      layer,
      inertLine(key),
      String(version),
      `${tokens} of ${budgets[layer]}`,
      timeText(updatedAt, zone),
    ]),
  )
}

export async function showMemory(written: WrittenName, flags: ShowFlags, terminal: Terminal): Promise<void> {
  await using memory = await openMemory(flags, terminal, { to: 'read' })
  const document = documentOf(memory, written)
  const current = await readExisting(memory, document)
  const shown =
    flags.version === undefined ? current : await findVersion(document, flags.version, current.version)
  const section = flags.section === undefined ? null : findSection(shown.content, flags.section)
  const named = { layer: document.layer, key: writtenKey(document) }
  if (flags.json) {
    const json =
      section === null ? shown : { version: shown.version, section: flags.section, content: section }
    terminal.output.write(`${JSON.stringify({ ...json, ...named })}\n`)
    return
  }
  const text = section === null || section === '' ? (section ?? shown.content) : `${section}\n`
  terminal.output.write(terminal.output.isTTY ? inertText(text) : text)
}

async function findVersion(
  document: MemoryDocument,
  wanted: number,
  newest: number,
): Promise<DocumentVersion> {
  const [found] = wanted > newest ? [] : await document.versions({ before: wanted + 1, limit: 1 })
  if (found) return found
  throw new InvalidArgumentError('--version', wanted, `a version from 1 to ${newest}`)
}

function findSection(content: string, section: string): string {
  const found = readSection(content, checkSectionName(section))
  if (found !== null) return found
  const names = listSections(content).map(({ heading, level }) =>
    JSON.stringify(level === 2 ? heading : `${'#'.repeat(level)} ${heading}`),
  )
  throw new InvalidArgumentError(
    '--section',
    section,
    names.length === 0 ? 'none: it has no sections' : inertLine(names.join(', ')),
  )
}

export async function showHistory(
  written: WrittenName,
  flags: HistoryFlags,
  terminal: Terminal,
): Promise<void> {
  await using memory = await openMemory(flags, terminal, { to: 'read' })
  const document = documentOf(memory, written)
  await readExisting(memory, document)
  // One more version, to compare the oldest listed one with.
  const found = await document.versions({ limit: flags.limit + 1 })
  const versions = found
    .slice(0, flags.limit)
    .map((version, index) => ({ ...version, ...countLines(version, found[index + 1]) }))
  if (flags.json) {
    const named = { layer: document.layer, key: writtenKey(document) }
    terminal.output.write(`${JSON.stringify({ ...named, versions })}\n`)
    return
  }
  const headings = [right('version'), left(`when (${memory.zone})`), left('by'), left('lines'), left('')]
  terminal.output.write(
    drawTable(
      headings,
      versions.map(version => [
        String(version.version),
        timeText(version.at, memory.zone),
        authorText(version.author),
        countText(version),
        version.undoes === null ? '' : `takes back ${version.undoes}`,
      ]),
    ),
  )
}

export async function undoMemory(written: WrittenName, flags: UndoFlags, terminal: Terminal): Promise<void> {
  await using memory = await openMemory(flags, terminal, { to: 'change' })
  const document = documentOf(memory, written)
  const before = await readExisting(memory, document)
  const { version } = await document.undo({
    ...(flags.version !== undefined && { version: flags.version }),
    author: personHere(),
  })
  const since = await document.versions({ limit: version - before.version })
  const undone = since.find(({ undoes }) => undoes !== null)!.undoes!
  if (flags.json) {
    const named = { layer: document.layer, key: writtenKey(document) }
    terminal.output.write(`${JSON.stringify({ ...named, version, undoes: undone })}\n`)
  } else {
    const [taken, previous] = await document.versions({ before: undone + 1, limit: 2 })
    const what = `version ${undone} (${authorText(taken!.author)}, ${countText(countLines(taken!, previous))} lines)`
    terminal.output.write(`Took back ${what}: the ${titleOf(document)} is at version ${version} now.\n`)
  }
}
