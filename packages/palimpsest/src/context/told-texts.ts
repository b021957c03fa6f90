import { oneLine } from '../log/index.ts'

/**
 * Tells whether a context already says a text word for word. It compares sentence by sentence, by letters and
 * numbers alone: punctuation, line breaks and a prefix of a line make no difference. The time is linear in
 * what is shown and in what is asked.
 */
export function toldTexts(shown: readonly string[]): (text: string) => boolean {
  const told = new Set<string>()
  for (const text of shown)
    for (const line of text.split(LINE_BREAKS))
      for (const sentence of sentencesOf(line)) noteTold(told, sentence)
  const isTold = (sentences: readonly string[]) =>
    sentences.every(sentence => told.has(lettersOf(sentence)) || lettersOf(sentence) === '')
  return text => isTold(sentencesOf(oneLine(text))) || isTold(text.split(LINE_BREAKS).flatMap(sentencesOf))
}

const LINE_BREAKS = /[\n\r\u0085\u2028\u2029]+/
/** A segment joins things that one person said with ` / `, so this ends a sentence too. */
const SENTENCE_ENDS = /[.!?…;。！？；]+|\s\/\s/
const NO_LETTERS = /[^\p{L}\p{N}\p{M}]+/gu
/** A line's own words may begin after one of these: after its day, its speaker or its tool. */
const BEFORE_WORDS = /[:：→,，\]]/g
const MAX_BEGINNINGS = 6
const DAY = /^\s{0,2}-?\s{0,2}\d{4}-\d{2}-\d{2}(?:–\d{4}-\d{2}-\d{2})?\s/

function sentencesOf(line: string): readonly string[] {
  return line.split(SENTENCE_ENDS)
}

function lettersOf(text: string): string {
  return text.replace(NO_LETTERS, ' ').trim()
}

function noteTold(told: Set<string>, sentence: string): void {
  told.add(lettersOf(sentence))
  const day = DAY.exec(sentence)
  if (day) told.add(lettersOf(sentence.slice(day[0].length)))
  let beginnings = 0
  for (const { index } of sentence.matchAll(BEFORE_WORDS)) {
    told.add(lettersOf(sentence.slice(index + 1)))
    beginnings += 1
    if (beginnings === MAX_BEGINNINGS) return
  }
}
