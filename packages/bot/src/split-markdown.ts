import { closesFence, type Fence, opensFence } from './markdown/fences.ts'
import { begunBefore } from './markdown/inline.ts'
import { findEnd } from './split-text.ts'

/**
 * As `splitText`, for Markdown: each piece is Markdown of its own. A block of code that does not fit goes to the next
 * piece as a whole where that leaves this one at least half full, and is closed and opened again otherwise; nothing
 * else that has an end is cut in two where there is room before it.
 */
export function splitMarkdown(text: string, most: number): readonly string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > most) {
    const { piece, next } = cutOff(rest, most)
    pieces.push(piece)
    rest = next
  }
  if (rest.trim() !== '' || pieces.length === 0) pieces.push(rest)
  return pieces.filter((piece, index) => piece !== '' || index === 0)
}

interface Cut {
  readonly piece: string
  readonly next: string
}

function cutOff(rest: string, most: number): Cut {
  const full = rest.slice(0, most)
  const end = findEnd(full)
  const fence = fenceAt(full, end)
  if (fence === null) return cutAt(rest, outside(full, end, most))
  if (fence.from >= most / 2) return cutAt(rest, fence.from)
  const room = most - fence.mark.length - 1
  const opening = `${fence.mark}${fence.language}\n`
  // Marks that fill a piece: nothing of the code would fit beside them.
  if (opening.length + fence.mark.length + 1 > most / 2) return cutAt(rest, end)
  const inside = Math.max(lastLine(rest.slice(0, room)), 0)
  const at = inside > fence.inside ? inside : findEnd(rest.slice(0, room))
  // The line that opens it is long.
  if (at < fence.inside) return cutAt(rest, fence.from > 0 ? fence.from : end)
  const after = rest.startsWith('\n', at) ? at + 1 : at
  return {
    piece: `${rest.slice(0, at).trimEnd()}\n${fence.mark}`,
    next: reopened(rest.slice(after), fence, opening),
  }
}

function cutAt(rest: string, end: number): Cut {
  return { piece: rest.slice(0, end).trimEnd(), next: rest.slice(end).trimStart() }
}

/** What was left of it may be its end alone. */
function reopened(rest: string, fence: Fence, opening: string): string {
  const end = rest.indexOf('\n')
  const line = end === -1 ? rest : rest.slice(0, end)
  if (closesFence(line, fence)) return end === -1 ? '' : rest.slice(end + 1).trimStart()
  return opening + rest
}

/** The place after the last whole line, of at least half the room. */
function lastLine(text: string): number {
  const end = text.lastIndexOf('\n')
  return end >= text.length / 2 ? end : -1
}

interface OpenFence extends Fence {
  readonly from: number
  /** Where its code begins. */
  readonly inside: number
}

/** The block of code that is under way there; `null`: none is. */
function fenceAt(text: string, cut: number): OpenFence | null {
  let open: OpenFence | null = null
  for (let from = 0; from < cut; ) {
    const end = text.indexOf('\n', from)
    const line = end === -1 ? text.slice(from) : text.slice(from, end)
    const inside = end === -1 ? text.length : end + 1
    if (open === null) {
      const fence = opensFence(line)
      if (fence) open = { ...fence, from, inside }
    } else if (closesFence(line, open)) open = null
    from = inside
  }
  return open
}

/** Before what would be cut in two, where that leaves the piece at least half full. */
function outside(full: string, end: number, most: number): number {
  const paragraph = full.lastIndexOf('\n\n', end - 1) + 1
  const begun = begunBefore(full.slice(paragraph), end - paragraph)
  return begun !== null && paragraph + begun >= most / 2 ? paragraph + begun : end
}
