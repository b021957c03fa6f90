/** A piece of a sentence that tells one thing. */
export interface Clause {
  readonly start: number
  readonly end: number
  /** The mark or the word that joins the clause to what stands before it. */
  readonly joint: string
  readonly sentence: number
}

/** A mark between figures belongs to a time or a number, and is no joint. */
const JOINT =
  /[!?。！？…\n]|[,;()，；、：~～—–]|(?<!\d)[.:]|[.:](?!\d)|(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])| - |(?<=[^听据小传]说|告诉我|告诉我们|通知|通知我)(?=周|星期|礼拜|[下上这本][下上个周月星礼两几]|明[天晚早儿日年]|后天|大后天|[\d一二三四五六七八九十])|(?<![\w'])(?:and|but|because|cause|cuz|coz|bc|that|which|who|if|when|while|unless|once|then|though|although|whereas|or|so(?= (?:i|i'm|im|i'll|i've|we|we're|we'll|you|u|he|she|it|it's|they|no|don't|can|could|let's|please|the|my|our|that's)(?![\w'])))(?![\w'])/g
const SUBJECT = /^(?:who|that|which)$/
const ENDS_SENTENCE = /[.!?。！？…\n]/

/** Goes over the text once. A comma ends a clause, a full stop ends a sentence. */
export function splitClauses(lower: string): Clause[] {
  const clauses: Clause[] = []
  let start = 0
  let sentence = 0
  let joint = ''
  const add = (end: number) => {
    if (/\S/.test(lower.slice(start, end))) clauses.push({ start, end, joint, sentence })
  }
  JOINT.lastIndex = 0
  for (let match = JOINT.exec(lower); match !== null; match = JOINT.exec(lower)) {
    add(match.index)
    const ends = ENDS_SENTENCE.test(match[0])
    if (ends) sentence++
    // Of two marks beside each other, the one that ends the sentence counts.
    joint = ends ? '' : match[0].trim()
    // "who", "that" and "which" are the subject of the clause behind them: "the bug that appeared on Sunday".
    start = SUBJECT.test(match[0]) ? match.index : match.index + match[0].length
    if (match[0] === '') JOINT.lastIndex++
  }
  add(lower.length)
  return clauses
}

/** The last clause that begins at or before `place`. */
export function clauseAt(clauses: readonly Clause[], place: number): number {
  let [low, high] = [0, clauses.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (clauses[middle]!.start <= place) low = middle
    else high = middle - 1
  }
  return low
}
