/** A piece of a memory document, of one of the kinds that the page tells apart. All text is plain. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly { readonly depth: number; readonly text: string }[] }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/
const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const DEEPEST = 3

/**
 * Recognises headings, list lines and fenced code, and leaves all other text as it is. That is enough for
 * what a memory holds.
 */
export function markdownBlocks(content: string): readonly Block[] {
  const blocks: Block[] = []
  const lines = content.split(/\r?\n/)
  let isParted = true
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!
    const last = isParted ? undefined : blocks.at(-1)
    isParted = false
    const fence = FENCE.exec(line)?.[1]
    const heading = HEADING.exec(line)
    const item = ITEM.exec(line)
    if (fence !== undefined) {
      const end = lines.findIndex((other, place) => place > index && isEnd(other, fence))
      const until = end < 0 ? lines.length : end
      blocks.push({ kind: 'code', text: lines.slice(index + 1, until).join('\n') })
      index = until
    } else if (line.trim() === '') isParted = true
    else if (heading) blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]! })
    else if (item) {
      const added = { depth: depthOf(item[1]!), text: item[2]! }
      const before = blocks.at(-1)
      // An empty line between two items does not split a list.
      if (before?.kind === 'list') blocks[blocks.length - 1] = { ...before, items: [...before.items, added] }
      else blocks.push({ kind: 'list', items: [added] })
    } else if (last?.kind === 'list' && /^\s/.test(line)) {
      const { depth, text } = last.items.at(-1)!
      const whole = { depth, text: `${text}\n${line.trim()}` }
      blocks[blocks.length - 1] = { ...last, items: [...last.items.slice(0, -1), whole] }
    } else if (last?.kind === 'paragraph')
      blocks[blocks.length - 1] = { kind: 'paragraph', text: `${last.text}\n${line}` }
    else blocks.push({ kind: 'paragraph', text: line })
  }
  return blocks
}

function isEnd(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && text === fence[0]!.repeat(text.length)
}

function depthOf(indent: string): number {
  return Math.min(DEEPEST, Math.floor(indent.replaceAll('\t', '  ').length / 2))
}
