import { closesFence, type Fence, opensFence } from './markdown/fences.ts'
import { begunBefore } from './markdown/inline.ts'
import { findEnd } from './split-text.ts'

/**
 * Like `splitText`, for Markdown: each piece is Markdown of its own. A block of code that does not fit moves
 * to the next piece as a whole, if this piece stays at least half full; otherwise it is closed here and
 * opened again there. Other styled text is not cut in two where there is room to cut before it.
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
  // The fences alone would fill a piece and leave no room for code.
  if (opening.length + fence.mark.length + 1 > most / 2) return cutAt(rest, end)
  const inside = Math.max(lastLine(rest.slice(0, room)), 0)
  const at = inside > fence.inside ? inside : findEnd(rest.slice(0, room))
  // The opening line itself is too long for this piece.
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

/** The rest may be only the end of the block. */
function reopened(rest: string, fence: Fence, opening: string): string {
  const end = rest.indexOf('\n')
  const line = end === -1 ? rest : rest.slice(0, end)
  if (closesFence(line, fence)) return end === -1 ? '' : rest.slice(end + 1).trimStart()
  return opening + rest
}

/** The place after the last whole line, if that is at least half of the text. -1: there is no such place. */
function lastLine(text: string): number {
  const end = text.lastIndexOf('\n')
  return end >= text.length / 2 ? end : -1
}

interface OpenFence extends Fence {
  readonly from: number
  /** Where the code of the block begins. */
  readonly inside: number
}

/** The block of code that is open at this place. `null`: none is. */
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

/** Cuts before a styled text rather than inside it, where the piece stays at least half full. */
function outside(full: string, end: number, most: number): number {
  const paragraph = full.lastIndexOf('\n\n', end - 1) + 1
  const begun = begunBefore(full.slice(paragraph), end - paragraph)
  return begun !== null && paragraph + begun >= most / 2 ? paragraph + begun : end
}
