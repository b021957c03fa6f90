import type { ErasureCounts } from '../restore/count-kinds.ts'
import type { FilesAfterRestore } from '../restore/erase-again.ts'
import type { ErasedAgain } from '../restore/restore-postgres.ts'
import type { Restored } from '../restore/restore-sqlite.ts'
import { inertLine } from './inert-text.ts'

const WITHOUT_LIST = 'There is no list of what was erased since the backup, so nothing was erased again.'

/** What was done, or would be, a line for each thing that an operator has to know. */
export function restoredText(restored: Restored): string {
  const { path, backup, dryRun, schema, generation, aside, wasDamaged, hadForeignLog, list } = restored
  const name = (file: string) => inertLine(JSON.stringify(file))
  const lines = [
    dryRun
      ? `${name(backup)} would take the place of ${name(path)}, as generation ${generation}.`
      : `${name(backup)} is in the place of ${name(path)}, as generation ${generation}: consumers of events begin anew.`,
    schema.from < schema.to &&
      `Its schema ${dryRun ? 'would be' : 'was'} brought from ${schema.from} to ${schema.to}: programs of an earlier version refuse it.`,
    list === null ? WITHOUT_LIST : erasedText(restored, dryRun),
    ...restored.files.map(filesText),
    aside !== null &&
      `The old database is kept as ${name(aside)}. It still holds what was erased: delete it when all is well.`,
    hadForeignLog &&
      (aside === null
        ? 'The log (-wal) beside the old file is not its own: both would be kept as they are.'
        : `The log beside the old file was not its own. Neither was put into the other: the log is kept as ${name(`${aside}-wal`)}.`),
    wasDamaged &&
      'The old database could not be opened, so it could not be seen whether another process has it open: stop all that use it.',
  ]
  return `${lines.filter(line => line !== false).join('\n')}\n`
}

export function erasedAgainText(
  again: ErasedAgain,
  { name, dryRun }: { readonly name: string; readonly dryRun: boolean },
): string {
  const lines = [
    `${inertLine(name)}: ${dryRun ? 'would begin' : 'begins'} generation ${again.generation}: consumers of events begin anew.`,
    again.list === null ? WITHOUT_LIST : erasedText(again, dryRun),
    ...again.files.map(filesText),
  ]
  return `${lines.join('\n')}\n`
}

export function waitingText(receipts: ErasedAgain['receipts']): string {
  const each = receipts.map(
    ({ namespace, id }) =>
      `  palimpsest forget --receipt ${id} --namespace ${inertLine(JSON.stringify(namespace))}`,
  )
  return `The bytes of some erasures wait for an operator. Their receipts say what to run:\n${each.join('\n')}`
}

const KINDS: Readonly<Record<keyof ErasureCounts, readonly [string, string]>> = {
  messages: ['erasure of messages', 'erasures of messages'],
  session: ['session', 'sessions'],
  person: ['person', 'persons'],
  namespace: ['namespace', 'namespaces'],
}

function erasedText(
  { erased, withoutTarget }: Pick<Restored, 'erased' | 'withoutTarget'>,
  dryRun: boolean,
): string {
  const counts = (Object.keys(KINDS) as (keyof ErasureCounts)[])
    .filter(kind => erased[kind] > 0)
    .map(kind => `${erased[kind]} ${KINDS[kind][erased[kind] === 1 ? 0 : 1]}`)
  const what = counts.length === 0 ? 'nothing' : counts.join(', ')
  const rest =
    withoutTarget === 0
      ? ''
      : ` ${withoutTarget} of the list ${withoutTarget === 1 ? 'is' : 'are'} about nothing that is in it.`
  return `Erased since the backup, and ${dryRun ? 'to be erased again' : 'erased again'}: ${what}.${rest}`
}

function filesText({ namespace, folder, state }: FilesAfterRestore): string {
  const [where, whose] = [JSON.stringify(folder), JSON.stringify(namespace)]
  const text = {
    trusted: `The files in ${where} had followed all erasures: what they say is taken when a process with that folder runs (namespace ${whose}).`,
    anew: `The files in ${where} may hold what was erased: they are written anew from the database when a process with that folder runs (namespace ${whose}). Copy what was edited there since the backup before that.`,
    'not here': `The files in ${where} may hold what was erased, and that folder is not here (namespace ${whose}): delete them before a process with that folder runs.`,
  }
  return inertLine(text[state])
}
