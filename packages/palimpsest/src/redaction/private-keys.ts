import type { Spans } from './span.ts'
import { STEP, type Steps } from './steps.ts'

/**
 * Private keys in armour, and those of PuTTY: they span several lines. Public keys and certificates stay. If
 * the first line of a key is missing, its last line tells what it is, or the way its base64 begins
 * (`known-keys.ts`).
 */

const BEGIN = '-----BEGIN '
const END = '-----END '
const HEADER = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y
const FOOTER_LINE = /-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-{0,5}/y
const PUTTY = 'Private-Lines: '
const PUTTY_LINE = /Private-Lines: \d{1,4}/y

const STEP_MARKS = 64

/**
 * Finds each whole block. A block without an end goes as far as its lines of base64. A block without such
 * lines is left as it is: there a person only writes about keys.
 */
export function* findPrivateKeys(text: string, found: Spans): Steps<void> {
  yield* findArmoured(text, found)
  let count = 0
  for (let at = text.indexOf(PUTTY); at !== -1; at = text.indexOf(PUTTY, at + 1)) {
    if (++count % STEP_MARKS === 0) yield
    const start = matchAt(PUTTY_LINE, text, at)
    const end = start === null ? at : yield* endOfBody(text, start)
    if (start !== null && end > start) found.push({ start: firstLine(text, start), end, kind: 'private key' })
  }
}

function firstLine(text: string, from: number): number {
  let start = from
  while (start < text.length && !/[A-Za-z0-9+/]/.test(text[start]!)) start++
  // A line end written as `\n` has a letter of its own.
  return text[start - 1] === '\\' && /[nr]/.test(text[start]!) ? firstLine(text, start + 1) : start
}

function* findArmoured(text: string, found: Spans): Steps<void> {
  let [header, footer, before] = [nextHeader(text, 0), text.indexOf(END), 0]
  for (let count = 1; header !== null || footer !== -1; count++) {
    if (count % STEP_MARKS === 0) yield
    if (header === null || (footer !== -1 && footer < header.start)) {
      const end = endOfFooter(text, footer)
      if (end !== null) {
        const start = yield* startOfBody(text, footer, before)
        if (start < footer) found.push({ start, end, kind: 'private key' })
      }
      before = footer + END.length
      footer = text.indexOf(END, before)
      continue
    }
    const { start, end: bodyStart } = header
    const next = nextHeader(text, bodyStart)
    if (footer !== -1 && footer < bodyStart) footer = text.indexOf(END, bodyStart)
    const isClosed =
      footer !== -1 && footer < (next?.start ?? text.length) && (yield* isMostlyKey(text, bodyStart, footer))
    const end = isClosed ? (endOfFooter(text, footer) ?? footer) : yield* endOfBody(text, bodyStart)
    if (end > bodyStart) found.push({ start, end, kind: 'private key' })
    before = Math.max(bodyStart, end)
    if (footer !== -1 && (isClosed || footer < before))
      footer = text.indexOf(END, Math.max(before, footer + 1))
    header = next
  }
}

function nextHeader(text: string, from: number): { readonly start: number; readonly end: number } | null {
  for (let start = text.indexOf(BEGIN, from); start !== -1; start = text.indexOf(BEGIN, start + 1)) {
    const end = matchAt(HEADER, text, start)
    if (end !== null) return { start, end }
  }
  return null
}

function endOfFooter(text: string, footer: number): number | null {
  return matchAt(FOOTER_LINE, text, footer)
}

/** Whether most of the text is base64, however it was indented, quoted, numbered or written into a string. */
function* isMostlyKey(text: string, from: number, to: number): Steps<boolean> {
  let [run, inLines, written] = [0, 0, 0]
  for (let at = from; at <= to; at++) {
    if (at % STEP === 0) yield
    const code = at < to ? text.charCodeAt(at) : 32
    if (isOfBody(code)) {
      run++
      continue
    }
    if (run >= MIN_LINE) inLines += run
    written += run + (/\s/.test(text[at] ?? ' ') ? 0 : 1)
    run = 0
  }
  return inLines > 0 && inLines * 2 >= written
}

const MIN_LINE = 16

function isOfBody(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 43 ||
    code === 61
  )
}

/** Where the lines of base64 begin that end right before a place. If there are none: the place itself. */
function* startOfBody(text: string, to: number, least: number): Steps<number> {
  let [start, isKey] = [to, false]
  for (let at = to; ; ) {
    let end = at
    while (end > least && at - end < MAX_GAP && isOfGap(text.charCodeAt(end - 1))) end--
    let from = end
    while (from > least && isOfBody(text.charCodeAt(from - 1))) if (--from % STEP === 0) yield
    // The last line may be short. The letter of `\n` belongs to no line.
    const line = text[from - 1] === '\\' ? from + 1 : from
    const isLine = end - line >= MIN_LINE || (start === to && end - line >= 4)
    if (!isLine) return isKey ? start : to
    start = line
    isKey ||= end - line >= MIN_LINE
    at = text[from - 1] === '\\' ? from - 1 : from
    if (at <= least) return isKey ? start : to
  }
}

const MAX_GAP = 100

function isOfGap(code: number): boolean {
  return code <= 32 || code === 62 || code === 124 || code === 34 || code === 92
}

/** Between two lines: line ends, also written as `\n`, indents, marks of quotations, ends of strings. */
const GAP = /(?:\s|\\{1,4}[nrt]|["',>|*+]){0,100}/y
/** The short rest of a key, alone on its line and not a word. */
const LAST_LINE = /(?![A-Z]?[a-z]*(?![A-Za-z0-9+/=]))[A-Za-z0-9+/]{1,15}={0,2}(?=$|[\r\n"'\\])/y
const HEADING = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\n\r\\]{0,200}/y

/** Where the lines of base64 end. If there are none: the beginning itself. */
export function* endOfBody(text: string, from: number): Steps<number> {
  let end = from
  let lines = 0
  for (;;) {
    GAP.lastIndex = end
    GAP.test(text)
    const start = GAP.lastIndex
    const heading = lines === 0 ? matchAt(HEADING, text, start) : null
    const line = heading ?? (yield* endOfLine(text, start))
    if (line === null) break
    if (heading === null) lines++
    end = line
  }
  if (lines === 0) return from
  GAP.lastIndex = end
  GAP.test(text)
  const start = GAP.lastIndex
  const gap = text.slice(end, start)
  return (/^(?:\r?\n|\\{1,4}[nr])(?!\r?\n)/.test(gap) ? matchAt(LAST_LINE, text, start) : null) ?? end
}

/** `null`: the line is too short to be one of a key. */
function* endOfLine(text: string, from: number): Steps<number | null> {
  let end = from
  while (isOfBody(text.charCodeAt(end)) && text[end] !== '=') if (++end % STEP === 0) yield
  if (end - from < MIN_LINE) return null
  if (text[end] === '=') end++
  return text[end] === '=' ? end + 1 : end
}

/** Where the match ends; `null`: there is no match. */
function matchAt(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
