import { openToOthersText, writePrivately } from '../../palimpsest/src/store/private-file.ts'
import type { Terminal } from './terminal.ts'

/** A file that holds what people said. */
export function writeOutput(file: string, text: string, terminal: Terminal): void {
  if (!writePrivately(file, text)) terminal.error.write(`warning: ${openToOthersText(file)}\n`)
}
