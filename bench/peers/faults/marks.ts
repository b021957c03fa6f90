/**
 * Each message carries a mark of its own, `K017` where a person says it and `R017` in the answer, so that what became
 * of it can be counted in any text: a request, a summary, a store.
 */

const REMARKS = [
  'the ferry was late again and we waited at the harbour with the boxes until the evening',
  'the roof of the garden house needs paint before the rain comes, and somebody has to buy it',
  'my sister brought the bicycle back, and the choir asked whether we would sing on Sunday',
]

export function mark(number: number, who: 'K' | 'R' = 'K'): string {
  return `${who}${String(number).padStart(3, '0')}`
}

export function said(number: number): string {
  const remark = (place: number) => REMARKS[(number + place) % REMARKS.length]
  return `${mark(number)}. On day ${number} ${remark(0)}; also ${remark(1)}.`
}

export function answered(text: string): string {
  const number = Number(/\bK(\d{3})\b/.exec(text)?.[1] ?? 0)
  return `${mark(number, 'R')}. I have noted what you say: ${REMARKS[number % REMARKS.length]}. Shall I do more?`
}

/** In the order in which they first occur. */
export function marksIn(text: string): string[] {
  return [...new Set(text.match(/\b[KR]\d{3}\b/g) ?? [])]
}

/** Only of messages as they were said, not where a summary names them. */
export function marksSaid(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/\b([KR]\d{3})\. /g), ([, found]) => found!))]
}

/** From `first` to `last`, both included, with their answers. */
export function marksOf(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).flatMap(number => [
    mark(number),
    mark(number, 'R'),
  ])
}

export function missing(marks: readonly string[], text: string): string[] {
  const there = new Set(marksIn(text))
  return marks.filter(each => !there.has(each))
}
