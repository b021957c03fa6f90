import { InvalidArgumentError } from 'palimpsest/internals/errors'

/** A larger erasure should name the whole session. */
const MAX_SEQS = 10_000

/** Reads `3,7-9` as 3, 7, 8 and 9. Each number occurs once, in ascending order. */
export function readSeqs(text: string): readonly number[] {
  const seqs = new Set<number>()
  for (const part of text.split(',')) {
    const [, first, last = first] = /^\s*(\d{1,15})(?:\s*-\s*(\d{1,15}))?\s*$/.exec(part) ?? []
    const [from, to] = [Number(first), Number(last)]
    if (first === undefined || from < 1 || to < from)
      throw new InvalidArgumentError('--seq', text, 'numbers of messages, such as 17 or 3,7-9')
    if (seqs.size + to - from >= MAX_SEQS)
      throw new InvalidArgumentError('--seq', text, `at most ${MAX_SEQS} messages at once`)
    for (let seq = from; seq <= to; seq++) seqs.add(seq)
  }
  return [...seqs].sort((one, other) => one - other)
}
