const QUOTATION =
  /"[^"]{1,200}"|“[^”]{1,200}”|„[^“”]{1,200}[“”]|「[^」]{1,200}」|『[^』]{1,200}』|«[^»]{1,200}»/g

/** Of the same length: curly apostrophes straight, and what stands in quotes as underscores. */
export function withoutQuotations(sentence: string): string {
  return sentence
    .replaceAll('’', "'")
    .replace(QUOTATION, quoted => `${quoted[0]}${'_'.repeat(quoted.length - 2)}${quoted.at(-1)}`)
}

const QUOTE_MARK = /^\s*[>＞»]/
/** `Bob: `, as in a conversation that was pasted. */
const SPEAKER = /^(\p{L}[\p{L}\p{N}._'-]{0,30}(?: \p{Lu}[\p{L}._'-]{0,30})?)\s?[:：](?!\/\/)/u
/** Words that stand before a colon and are nobody. */
const NOBODY =
  /^(?:ps|btw|fyi|note|nb|update|correction|edit|reminder|also|info|hi|hello|hey|ok|about me|one thing|decision|plan|todo|deadline|link|docs?|me|另外|补充|更正|注意|备注|提醒|大家好|你好|决定|计划|链接|我)$/i

/** A line that is marked as somebody else's. */
export function isQuotation(line: string): boolean {
  return QUOTE_MARK.test(line)
}

/** A line with a speaker of its own, though it stands in somebody's message. */
export function isPasted(line: string): boolean {
  const speaker = SPEAKER.exec(line)
  return speaker !== null && !NOBODY.test(speaker[1]!)
}
