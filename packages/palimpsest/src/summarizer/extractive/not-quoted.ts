const QUOTATION =
  /"[^"]{1,200}"|“[^”]{1,200}”|„[^“”]{1,200}[“”]|「[^」]{1,200}」|『[^』]{1,200}』|«[^»]{1,200}»/g

/** Keeps the length. Curly apostrophes become straight ones, and quoted text becomes underscores. */
export function withoutQuotations(sentence: string): string {
  return sentence
    .replaceAll('’', "'")
    .replace(QUOTATION, quoted => `${quoted[0]}${'_'.repeat(quoted.length - 2)}${quoted.at(-1)}`)
}

const QUOTE_MARK = /^\s*[>＞»]/
/** `Bob: `, as in a conversation that was pasted. */
const SPEAKER = /^(\p{L}[\p{L}\p{N}._'-]{0,30}(?: \p{Lu}[\p{L}._'-]{0,30})?)\s?[:：](?!\/\/)/u
/** Words before a colon that are no speaker. */
const NOBODY =
  /^(?:ps|btw|fyi|note|nb|update|correction|edit|reminder|also|info|hi|hello|hey|ok|about me|one thing|decision|plan|todo|deadline|link|docs?|me|另外|补充|更正|注意|备注|提醒|大家好|你好|决定|计划|链接|我)$/i

/** Whether a line is marked as another person's. */
export function isQuotation(line: string): boolean {
  return QUOTE_MARK.test(line)
}

/** Whether a line has a speaker of its own, although it stands in the message of a sender. */
export function isPasted(line: string): boolean {
  const speaker = SPEAKER.exec(line)
  return speaker !== null && !NOBODY.test(speaker[1]!)
}
