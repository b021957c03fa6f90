import { kindsText } from 'palimpsest/internals/restore/count-kinds'
import type { FilesAfterRestore } from 'palimpsest/internals/restore/erase-again'
import type { ErasedAgain } from 'palimpsest/internals/restore/restore-postgres'
import type { Restored } from 'palimpsest/internals/restore/restore-sqlite'
import { inertLine } from './inert-text.ts'

const WITHOUT_LIST = 'There is no list of what was erased since the backup, so nothing was erased again.'

/** Tells what was done, or would be done: one line for each thing that an operator has to know. */
export function restoredText(restored: Restored): string {
  const { path, backup, dryRun, schema, generation, aside, wasDamaged, hadForeignLog } = restored
  const name = (file: string) => inertLine(JSON.stringify(file))
  const lines = [
    dryRun
      ? `${name(backup)} would take the place of ${name(path)}${asGeneration(generation)}.`
      : `${name(backup)} is in the place of ${name(path)}${asGeneration(generation)}: consumers of events ${generation === null ? 'cannot tell, so let them begin anew' : 'begin anew'}.`,
    restored.comeBack !== null &&
      `Its schema ${dryRun ? 'would stay' : 'is'} ${schema.to}: start the version that wrote it. A program of this version would migrate it.`,
    schema.from < schema.to &&
      `Its schema ${dryRun ? 'would be' : 'was'} brought from ${schema.from} to ${schema.to}: programs of an earlier version refuse it.`,
    sinceText(restored),
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

function asGeneration(generation: number | null): string {
  return generation === null ? '' : `, as generation ${generation}`
}

/** Tells what happened to everything that was erased since the backup. */
function sinceText(restored: Restored): string {
  const { list, comeBack, dryRun } = restored
  if (list === null) return WITHOUT_LIST
  if (comeBack === null) return erasedText(restored, dryRun)
  const what = kindsText(comeBack)
  return what === ''
    ? 'Nothing was erased since the backup.'
    : `Erased since the backup, and there again: ${what}. Erase them again with that version.`
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

function erasedText(
  { erased, withoutTarget }: Pick<Restored, 'erased' | 'withoutTarget'>,
  dryRun: boolean,
): string {
  const what = kindsText(erased) || 'nothing'
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
