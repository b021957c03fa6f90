import type { Span } from './span.ts'

/** Private keys in armour: the only secret that spans lines. Public keys and certificates stay. */

const HEADER = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g
const FOOTER = '-----END '
const FOOTER_LINE = /-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-{0,5}/y

/**
 * Each whole block. One without an end goes as far as its lines of base64 do; one that holds none, as where somebody
 * writes about keys, is left as it is.
 */
export function findPrivateKeys(text: string, found: Span[]): void {
  const headers = [...text.matchAll(HEADER)]
  let footer = 0
  for (const [index, header] of headers.entries()) {
    const start = header.index
    const bodyStart = start + header[0].length
    const next = headers[index + 1]?.index ?? text.length
    // Looked for once for all headers before it, so that many headers without an end cost no more than one.
    if (footer !== -1 && footer < bodyStart) footer = text.indexOf(FOOTER, bodyStart)
    const isClosed = footer !== -1 && footer < next && isMostlyKey(text.slice(bodyStart, footer))
    const end = isClosed ? endOfFooter(text, footer) : endOfBody(text, bodyStart)
    if (end > bodyStart) found.push({ start, end, kind: 'private key' })
  }
}

function endOfFooter(text: string, footer: number): number {
  FOOTER_LINE.lastIndex = footer
  return FOOTER_LINE.test(text) ? FOOTER_LINE.lastIndex : footer
}

/** However it was indented, quoted, numbered or written into a string. */
function isMostlyKey(body: string): boolean {
  const inLines = (body.match(/[A-Za-z0-9+/=]{16,}/g) ?? []).reduce((sum, run) => sum + run.length, 0)
  const written = body.replace(/\s+/g, '').length
  return inLines > 0 && inLines * 2 >= written
}

/** Between two lines: ends of lines, also written as `\n`, indents, marks of quotations, ends of strings. */
const GAP = /(?:\s|\\{1,4}[nrt]|["',>|*+]){0,100}/y
const LINE = /[A-Za-z0-9+/]{16,}={0,2}/y
/** What is left over, alone on its line, and no word. */
const LAST_LINE = /(?![A-Z]?[a-z]*(?![A-Za-z0-9+/=]))[A-Za-z0-9+/]{1,15}={0,2}(?=$|[\r\n"'\\])/y
const HEADING = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\n\r\\]{0,200}/y

/** Where the lines of base64 end; the beginning itself if there are none. */
function endOfBody(text: string, from: number): number {
  let end = from
  let lines = 0
  for (;;) {
    GAP.lastIndex = end
    GAP.test(text)
    const start = GAP.lastIndex
    const heading = lines === 0 ? matchAt(HEADING, text, start) : null
    const line = heading ?? matchAt(LINE, text, start)
    if (line === null) break
    if (heading === null) lines++
    end = line
  }
  if (lines === 0) return from
  const gap = text.slice(end, GAP.lastIndex)
  return (/^(?:\r?\n|\\{1,4}[nr])(?!\r?\n)/.test(gap) ? matchAt(LAST_LINE, text, GAP.lastIndex) : null) ?? end
}

/** Where it ends. */
function matchAt(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
