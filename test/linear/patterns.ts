/**
 * What texts are repeated from: signs, letters, digits and the marks that some function looks for. A text that is one
 * to three of these, over and over, is what makes a function take long that looks ahead or back at every mark.
 */
export const PIECES: readonly string[] = [
  'a',
  'Z',
  'é',
  '7',
  '0',
  ' ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\u0085',
  '\u2028',
  '\u000b',
  '.',
  ',',
  '…',
  '?',
  '!',
  ':',
  ';',
  '-',
  '–',
  '_',
  '/',
  '\\',
  '@',
  '#',
  '+',
  '=',
  '%',
  '&',
  '|',
  '~',
  '$',
  '^',
  '"',
  "'",
  '`',
  '“',
  '”',
  '«',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '<',
  '>',
  '*',
  '**',
  '##',
  '## a\n',
  '- ',
  '- a\n',
  '1. ',
  '> ',
  '```',
  '```\n',
  '~~~\n',
  '](',
  '[a](b)',
  '[a]:',
  '<!--',
  '-->',
  '</',
  '<think>',
  '\\n',
  '\\"',
  '{"a":',
  '?sig=',
  'token=',
  'token=?',
  'password: ',
  'Bearer ',
  'sk-',
  'eyJ',
  'data:',
  ';base64,',
  '-----BEGIN ',
  'https://',
  'https://a.b/c?d=e',
  'www.',
  'a@b.c',
  'a.b',
  'ftp://u:p@',
  '2026-02-10',
  '10/02/2026',
  '12:30',
  'Friday',
  'next Friday',
  'in 3 days',
  '3 weeks ago',
  'May',
  '5 May ',
  '2月10日',
  '下周五',
  '来週',
  '明天',
  'I ',
  "I'm ",
  "don't ",
  'my ',
  'Ann ',
  'Ann: ',
  'Ann said',
  'and ',
  'because ',
  'word ',
  'e.g. ',
  'No. 5 ',
  '40 ',
  '$40',
  '4111 1111 1111 1111',
  '漢',
  '漢字',
  '。',
  '、',
  '，',
  '「',
  '」',
  'ひ',
  'カ',
  '한',
  'Я',
  'ا',
  'ש',
  'ไ',
  'अ',
  '😀',
  '👨‍👩‍👧',
  '🇩🇪',
  '\u0301',
  'e\u0301',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u00ad',
  '\ufeff',
  '\ud83d',
  '\udc00',
  '\uff21',
  '<!-- palimpsest: ',
  'palimpsest',
  'global_memory',
  '<session_memory>',
  'null',
  'true',
  '[object Object]',
] // prettier-ignore

/** One to three pieces that are repeated, and what stands behind them: what looks ahead looks for its end. */
export interface Pattern {
  readonly pieces: readonly string[]
  readonly end: string
}

/** Nothing, a letter, and a word of its own. */
const ENDS = ['', 'x', ' x']

/** So much of a pattern that it has about so many UTF-16 units. */
export function repeated({ pieces, end }: Pattern, length: number): string {
  const once = pieces.join('')
  return once.repeat(Math.max(1, Math.round(length / once.length))) + end
}

/** As a failure says it. */
export function describePattern({ pieces, end }: Pattern): string {
  return pieces.map(piece => JSON.stringify(piece)).join(' + ') + (end && ` before ${JSON.stringify(end)}`)
}

/** Of one piece, with each end. */
export const SINGLES: readonly Pattern[] = PIECES.flatMap(piece =>
  ENDS.map(end => ({ pieces: [piece], end })),
)

/** Those of one, then all of two in a random order, then random ones of three without end. */
export function* allPatterns(random: () => number): Generator<Pattern, void, void> {
  yield* SINGLES
  yield* shuffledPairs(random)
  for (;;) yield { pieces: [pick(random), pick(random), pick(random)], end: pickEnd(random) }
}

function* shuffledPairs(random: () => number): Generator<Pattern, void, void> {
  const pairs = PIECES.flatMap(one => PIECES.filter(other => other !== one).map(other => [one, other]))
  for (let left = pairs.length; left > 0; left--) {
    const place = Math.floor(random() * left)
    const pieces = pairs[place]!
    pairs[place] = pairs[left - 1]!
    yield { pieces, end: pickEnd(random) }
  }
}

function pick(random: () => number): string {
  return PIECES[Math.floor(random() * PIECES.length)]!
}

function pickEnd(random: () => number): string {
  return ENDS[Math.floor(random() * ENDS.length)]!
}

/** The same numbers for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
