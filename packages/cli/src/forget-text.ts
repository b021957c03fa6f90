import type { ErasureReceipt } from 'palimpsest/internals/erasure/index'
import { waitsForOperator } from 'palimpsest/internals/erasure/receipt'
import { describe } from 'palimpsest/internals/errors'
import { type Message, modelText } from 'palimpsest/internals/log/index'
import type {
  ErasurePlace,
  ErasureRecord,
  ErasureStage,
  ErasureTarget,
} from 'palimpsest/internals/store/index'
import type { ErasurePreview } from './erasure-preview.ts'
import { inertLine } from './inert-text.ts'
import { timeText } from './memory-text.ts'
import { drawTable, left, right } from './text-layout.ts'

interface Shown {
  readonly zone: string
  readonly namespace: string
}

const EXAMPLE_CHARACTERS = 60

export function previewText(preview: ErasurePreview, shown: Shown): string {
  const { target, sessions, messages, documents, examples } = preview
  const title = targetText(target, shown)
  if (target.kind === 'messages') {
    const hidden = target.seqs.length - messages
    const lines = [
      ...examples.map(message => exampleText(message, shown)),
      messages > examples.length && `… and ${messages - examples.length} more`,
      hidden > 0 && `${hidden} that cannot be seen any more`,
    ]
    return [`  ${title}`, ...lines.filter(Boolean).map(line => `    ${line}`), ''].join('\n')
  }
  const counts = [
    target.kind !== 'session' && counted(sessions, 'session'),
    counted(messages, 'message'),
    counted(documents, 'memory document'),
  ].filter(count => count !== false)
  return `  ${title}: ${counts.join(', ')}\n`
}

function targetText(target: ErasureTarget, { namespace }: Pick<Shown, 'namespace'>): string {
  const name = (id: string) => inertLine(describe(id))
  switch (target.kind) {
    case 'messages':
      return `${counted(target.seqs.length, 'message')} of session ${name(target.sessionId)}`
    case 'session':
      return `session ${name(target.sessionId)}`
    case 'person':
      return `all that user ${name(target.id)} said, their private chats and their memory`
    case 'namespace':
      return `everything in namespace ${name(namespace)}`
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function exampleText({ seq, sender, role, at, content }: Message, { zone }: Shown): string {
  const text = modelText(content)
    .slice(0, EXAMPLE_CHARACTERS * 2)
    .replace(/\s+/g, ' ')
    .trim()
  const shown = [...text].slice(0, EXAMPLE_CHARACTERS).join('')
  const { id = role, name = '' } = sender ?? {}
  const speaker = name === '' || name === id ? id : `${name} (${id})`
  return inertLine(`${seq}  ${speaker}  ${timeText(at, zone)}  ${shown}${shown === text ? '' : '…'}`)
}

/** What each count of a receipt counts. */
const PLACES: Readonly<Record<ErasurePlace, string>> = {
  messages: 'messages',
  versions: 'earlier versions of messages',
  sessions: 'sessions',
  forks: 'forks',
  segments: 'segments',
  memos: 'memos',
  pins: 'pins',
  index: 'search index',
  documents: 'memory documents',
  documentVersions: 'versions of memory documents',
  facts: 'facts',
  senders: 'senders',
  outcomes: 'outcomes of folds',
  events: 'events',
  settings: 'settings',
  files: 'files of the workspace',
  backups: 'list for restores',
  database: 'database',
}

/** Tells the stage that begins now. */
export function stageText(stage: ErasureStage, counts: ErasureRecord['counts']): string {
  const { messages = 0, files = 0 } = counts
  switch (stage) {
    case 'erasing':
      return 'erasing …'
    case 'rebuilding':
      return `${counted(messages, 'message')} erased; nothing of it can be seen any more. Making segments anew …`
    case 'files':
      return 'erasing it from files …'
    case 'scrubbing':
      return `${files > 0 ? `${counted(files, 'file')} changed or removed. ` : ''}Overwriting what the database let go …`
    case 'done':
      return 'done'
  }
}

/**
 * Tells what carries on a pending erasure. Also tells when nothing was known of a person: the id may be
 * wrong.
 */
function remarks(receipt: ErasureReceipt): readonly string[] {
  const { target, done, places } = receipt
  const wasAnything = places.some(({ place, count }) => place !== 'database' && count > 0)
  return [
    ...(done || waitsForOperator(receipt)
      ? []
      : [
          'What is pending goes on while a bot, `palimpsest serve` or `palimpsest forget` runs on this database.\n',
        ]),
    ...(target?.kind === 'person' && !wasAnything ? [unknownPerson(target.id)] : []),
  ]
}

export function unknownPerson(id: string): string {
  return `Nothing is known of user ${inertLine(describe(id))}. A person goes by the id of their messages' sender or of their chat's user, not by a display name.\n`
}

export function receiptText(receipt: ErasureReceipt, shown: Shown): string {
  const { id, target, requestedAt, done, places } = receipt
  const what = target === null ? '' : ` of ${targetText(target, shown)}`
  const when = `${timeText(requestedAt, shown.zone)} ${shown.zone}`
  const title = `Erasure ${id}${what}, asked for ${when}: ${done ? 'done' : waitsForOperator(receipt) ? 'waits for an operator' : 'under way'}\n`
  // A place where nothing was found is left out.
  const rows = places
    .filter(({ count, state }) => count > 0 || state === 'pending')
    .map(({ place, count, state }) => [PLACES[place], String(count), state])
  const notes = places.flatMap(({ place, note, statement }) =>
    note === undefined ? [] : [`${PLACES[place]}: ${note}\n${statement ? `\n  ${statement}\n` : ''}`],
  )
  const table = drawTable([left('where'), right('how many'), left('state')], rows)
  return [`${title}\n${table}`, ...notes, ...remarks(receipt)].join('\n')
}
