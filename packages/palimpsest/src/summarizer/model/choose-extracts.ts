import { byOrigin, originNames } from '../../log/index.ts'
import { dayInZone, formatDay } from '../calendar-day.ts'
import { comparable } from '../memory-line.ts'
import type { Extract, SourceMessage, SummarizeRequest } from '../summarizer.ts'
import { hasOwnWords } from '../told-apart.ts'

/** Of a message in which its sender only passes something on, what says whose it is. */
function isAttributed({ text }: Told, source: SourceMessage | undefined): boolean {
  if (source === undefined || hasOwnWords(source)) return true
  const names = byOrigin(source.content).flatMap(({ origin }) => (origin ? originNames(origin) : []))
  return names.some(name => text.includes(name))
}

type Told = Omit<Extract, 'on'>

/**
 * Of what was found in each piece, the most telling first, no more than so many, each once: those that come first
 * in their piece before those that come second, of these the newest first. So no piece takes the room of another.
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
