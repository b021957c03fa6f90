import { openToOthersText, writePrivately } from 'palimpsest/internals/store/private-file'
import type { Terminal } from './terminal.ts'

/** Writes a file that holds what people said, and warns where others can read it. */
export function writeOutput(file: string, text: string, terminal: Terminal): void {
  if (!writePrivately(file, text)) terminal.error.write(`warning: ${openToOthersText(file)}\n`)
}
