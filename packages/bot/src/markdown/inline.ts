import { Marks } from './marks.ts'
import type { Style, StyledText } from './styled-text.ts'

/**
 * Parses the Markdown within a paragraph, as models write it.
 * Marks: `**bold**`, `*italic*`, `~~struck~~`, `` `code` ``, `[links](https://…)`.
 * A mark without an end stays as it is written.
 */
export function parseInline(source: string): StyledText {
  return readMarks(source).toText()
}

/**
 * A cut at this place may split a styled piece. Returns where that piece begins in the source. `null`: the
 * cut splits nothing.
 */
export function begunBefore(source: string, cut: number): number | null {
  return readMarks(source).begunBefore(cut)
}

interface Reading {
  readonly source: string
  readonly marks: Marks
  readonly codeEnds: CodeEnds
}

/** Tries to read a mark and returns where the reading goes on. `null`: there is no such mark. */
type Take = (reading: Reading, at: number) => number | null

function readMarks(source: string): Marks {
  const marks = new Marks()
  const reading = { source, marks, codeEnds: new CodeEnds(source) }
  let said = 0
  for (let at = 0; at < source.length; ) {
    const take = TAKES[source[at]!]
    // The plain text before the mark is added first.
    if (take && said < at) marks.say(source.slice(said, at), said)
    if (take) said = at
    const next = take?.(reading, at) ?? null
    at = next ?? at + 1
    if (next !== null) said = next
  }
  if (said < source.length) marks.say(source.slice(said), said)
  return marks
}

const takeEscape: Take = ({ source, marks }, at) => {
  const escaped = source[at + 1]
  if (escaped === undefined || !/[!-/:-@[-`{-~]/.test(escaped)) return null
  marks.say(escaped, at)
  return at + 2
}

const takeCode: Take = ({ source, marks, codeEnds }, at) => {
  const length = runLength(source, at)
  const end = codeEnds.after(at + length, length)
  if (end === null) {
    // The end of the code may follow in a later part of the reply.
    marks.open('code', source.slice(at, at + length), at)
    return at + length
  }
  const code = source.slice(at + length, end)
  const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
  marks.whole(isPadded ? code.slice(1, -1) : code, { kind: 'code' }, { from: at, to: end + length })
  return end + length
}

const ADDRESS = /<((?:https?|tg|mailto):[^\s<>]{1,1000})>/iy

const takeAddress: Take = ({ source, marks }, at) => {
  ADDRESS.lastIndex = at
  const found = ADDRESS.exec(source)
  if (!found) return null
  marks.say(found[1]!, at)
  return at + found[0].length
}

const takeBracket: Take = ({ source, marks }, at) => {
  const literal = source[at] === '!' ? '![' : '['
  if (!source.startsWith(literal, at)) return null
  marks.open('[', literal, at)
  return at + literal.length
}

const TARGET =
  /\((?:<([^<>\n]{0,1000})>|([^\s()<>]{0,1000}(?:\([^\s()]{0,200}\)[^\s()<>]{0,200})?))(?: "[^"\n]{0,200}")?\)/y

const takeLink: Take = ({ source, marks }, at) => {
  if (!marks.isOpen('[')) return null
  TARGET.lastIndex = at + 1
  const found = TARGET.exec(source)
  if (!found) {
    marks.leave('[')
    return null
  }
  const url = found[1] ?? found[2] ?? ''
  const closing = { literal: source.slice(at, at + 1 + found[0].length), at }
  const isLink = /^(?:https?:\/\/|tg:\/\/|mailto:)/i.test(url)
  if (isLink) marks.close('[', { kind: 'link', url }, closing)
  // The target is no address that a reader of a chat can open.
  else marks.leave('[')
  return isLink ? at + closing.literal.length : null
}

const KINDS: Readonly<Record<string, Style['kind']>> = {
  '*': 'italic',
  _: 'italic',
  '**': 'bold',
  __: 'bold',
  '~~': 'strike',
}

/** Reads the signs around styled text. Chinese text has no spaces around them. */
const takeSigns: Take = ({ source, marks }, at) => {
  const sign = source[at]!
  const length = runLength(source, at)
  const end = at + length
  const [before, after] = [source[at - 1] ?? ' ', source[end] ?? ' ']
  const isInWord =
    (sign === '_' && WORD.test(before) && WORD.test(after)) ||
    (sign === '*' && length === 1 && PLAIN.test(before) && PLAIN.test(after))
  if (length > 3 || isInWord || (sign === '~' && length !== 2)) {
    marks.say(source.slice(at, end), at)
    return end
  }
  const closes = !SPACE.test(before) && !(sign === '_' && WORD.test(after))
  const opens = !SPACE.test(after) && !(sign === '_' && WORD.test(before))
  let from = at
  while (closes && from < end) {
    const possible = [sign, sign + sign].filter(mark => mark in KINDS && mark.length <= end - from)
    const mark = marks.newest(possible)
    if (mark === null) break
    marks.close(mark, { kind: KINDS[mark]! }, { literal: mark, at: from })
    from += mark.length
  }
  for (const size of sizesOf(end - from)) {
    const mark = sign.repeat(size)
    if (opens && mark in KINDS) marks.open(mark, mark, from)
    else marks.say(mark, from)
    from += size
  }
  return end
}

const SPACE = /\s/
const WORD = /[\p{L}\p{N}_]/u
const PLAIN = /[A-Za-z0-9]/

function sizesOf(length: number): readonly number[] {
  return length > 2 ? [2, length - 2] : length === 0 ? [] : [length]
}

function runLength(source: string, at: number): number {
  let end = at + 1
  while (source[end] === source[at]) end += 1
  return end - at
}

const TAKES: Readonly<Record<string, Take>> = {
  '\\': takeEscape,
  '`': takeCode,
  '<': takeAddress,
  '[': takeBracket,
  '!': takeBracket,
  ']': takeLink,
  '*': takeSigns,
  _: takeSigns,
  '~': takeSigns,
}

/**
 * Where code ends that began with this many backticks. All ends are found in one pass, so that many backticks
 * cost no more than that.
 */
class CodeEnds {
  readonly #runs = new Map<number, number[]>()
  readonly #passed = new Map<number, number>()

  constructor(source: string) {
    for (const { 0: run, index } of source.matchAll(/`+/g)) {
      const places = this.#runs.get(run.length) ?? []
      places.push(index)
      this.#runs.set(run.length, places)
    }
  }

  /** Callers must ask for ascending places only. */
  after(at: number, length: number): number | null {
    const places = this.#runs.get(length) ?? []
    let index = this.#passed.get(length) ?? 0
    while (index < places.length && places[index]! < at) index += 1
    this.#passed.set(length, index)
    return places[index] ?? null
  }
}
