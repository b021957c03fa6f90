import { byOrigin, originNames } from '../../log/index.ts'
import { dayInZone, formatDay } from '../calendar-day.ts'
import { comparable } from '../memory-line.ts'
import type { Extract, SourceMessage, SummarizeRequest } from '../summarizer.ts'
import { hasOwnWords } from '../told-apart.ts'

/** Whether the text says whose words they are, where the sender of the message only passes something on. */
function isAttributed({ text }: Told, source: SourceMessage | undefined): boolean {
  if (source === undefined || hasOwnWords(source)) return true
  const names = byOrigin(source.content).flatMap(({ origin }) => (origin ? originNames(origin) : []))
  return names.some(name => text.includes(name))
}

type Told = Omit<Extract, 'on'>

/**
 * At most `most` extracts, each once. Each piece lists the most telling first. The first extracts of all
 * pieces go before the second ones, and so on; within a rank, the newest piece goes first. So no piece takes
 * the room of another.
 */
export function chooseExtracts(
  pieces: readonly (readonly Told[])[],
  most: number,
  { messages, zone }: Pick<SummarizeRequest, 'messages' | 'zone'>,
): Extract[] {
  const sources = new Map(messages.map(message => [message.seq, message]))
  const chosen = new Map<string, Told>()
  const ranks = Math.max(0, ...pieces.map(piece => piece.length))
  for (let rank = 0; rank < ranks; rank++)
    for (const piece of pieces.toReversed()) {
      const extract = piece[rank]
      if (extract === undefined || chosen.size >= most) continue
      const key = comparable(extract.text)
      if (!chosen.has(key) && isAttributed(extract, sources.get(extract.seq))) chosen.set(key, extract)
    }
  return [...chosen.values()]
    .sort((left, right) => left.seq - right.seq)
    .map(({ text, seq }) => {
      const { at, zone: own } = sources.get(seq)!
      return { text, on: formatDay(dayInZone(at, own ?? zone)), seq }
    })
}
