import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, PalimpsestError } from 'palimpsest/internals/errors'
import { InterruptedError } from './terminal.ts'

/** A file in which a person writes. After any error the file stays and the error names it. */
export interface DraftFile {
  readonly path: string
  remove(): Promise<void>
}

/** The folder and the file can be read by the person alone. */
export async function createDraft(name: string, text: string): Promise<DraftFile> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-edit-'))
  const path = join(folder, name)
  await writeFile(path, text, { mode: 0o600 })
  return { path, remove: () => rm(dirname(path), { recursive: true, force: true }) }
}

/** Resolves with the text of the file when the person has closed the editor. */
export async function edit({ path }: DraftFile): Promise<string> {
  const command = editorCommand()
  const { code, signal } = await runEditor(command, path)
  if (signal === 'SIGINT' || code === INTERRUPTED)
    throw new InterruptedError(`Interrupted; nothing was changed. The text is in ${path}.`)
  if (code === NOT_FOUND || code === NOT_FOUND_ON_WINDOWS) throw noEditor(command, path)
  if (code !== 0) throw editorFailed(command, path, signal ?? code)
  return decodeDraft(await readFile(path), path)
}

/** The variable holds a command line, so the editor may have arguments. */
function editorCommand(): string {
  const { VISUAL, EDITOR } = process.env
  return VISUAL?.trim() || EDITOR?.trim() || (process.platform === 'win32' ? 'notepad' : 'vi')
}

const NOT_FOUND = 127
const NOT_FOUND_ON_WINDOWS = 9009
const INTERRUPTED = 128 + constants.signals.SIGINT

type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** The program ignores Ctrl-C while the editor runs: the editor handles it. */
async function runEditor(command: string, path: string): Promise<Ended> {
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    return await new Promise((resolve, reject) => {
      // Where standard output is a file or a pipe, it is for the answer alone: the editor draws on standard
      // error.
      const stdio = ['inherit', process.stdout.isTTY ? 'inherit' : 2, 'inherit'] as const
      const child =
        process.platform === 'win32'
          ? spawn(`${command} "${path}"`, { shell: true, stdio: [...stdio] })
          : spawn('sh', ['-c', `${command} "$@"`, 'sh', path], { stdio: [...stdio] })
      child.on('error', reject)
      child.on('exit', (code, signal) => resolve({ code, signal }))
    })
  } finally {
    process.off('SIGINT', ignore)
  }
}

function noEditor(editor: string, file: string): PalimpsestError {
  return new PalimpsestError(
    'file_not_found',
    `There is no editor ${describe(editor)} here: set $VISUAL or $EDITOR to one that there is, or give the text ` +
      `on standard input. Nothing was changed; the text is in ${file}.`,
    { editor, file },
  )
}

function editorFailed(editor: string, file: string, ended: number | string | null): PalimpsestError {
  return new PalimpsestError(
    'file_not_written',
    `The editor ${describe(editor)} ended with ${ended}. Nothing was changed; the text is in ${file}.`,
    { editor, file, ended },
  )
}

function decodeDraft(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const message = `${file} is not UTF-8. Nothing was changed; save it as UTF-8 and give it on standard input.`
    throw new PalimpsestError('file_not_written', message, { file }, { cause })
  }
}
