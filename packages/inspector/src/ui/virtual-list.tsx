import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** A part of a long list. Far from the screen, only its height exists. */
export interface Block {
  readonly key: string
  /** In pixels: its height until it is shown. */
  readonly estimate: number
  readonly render: () => ComponentChildren
}

/** Blocks this far beyond the edges of the screen are drawn already. */
const MARGIN_PX = 800

/**
 * Blocks below each other. Only those near the screen exist. Heights are measured as blocks appear, so the
 * scroll bar becomes exact in time. Meanwhile the browser keeps the visible part in its place.
 */
export function VirtualList({
  blocks,
  wanted,
}: {
  readonly blocks: readonly Block[]
  /** The key of a block. When it changes, that block is scrolled into view. */
  readonly wanted: string | null
}) {
  const place = useRef<HTMLDivElement>(null)
  const heights = useRef(new Map<string, number>())
  const [, redraw] = useState(0)
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const latest = useRef(blocks)
  latest.current = blocks

  const heightOf = ({ key, estimate }: Block) => heights.current.get(key) ?? estimate
  const look = () => {
    const element = place.current
    if (element === null) return
    const top = -element.getBoundingClientRect().top - MARGIN_PX
    const bottom = top + innerHeight + 2 * MARGIN_PX
    let from = 0
    let offset = 0
    const all = latest.current
    while (from < all.length - 1 && offset + heightOf(all[from]!) < top) offset += heightOf(all[from++]!)
    let to = from
    while (to < all.length && offset < bottom) offset += heightOf(all[to++]!)
    setRange(before => (before[0] === from && before[1] === to ? before : [from, to]))
  }

  useEffect(() => {
    let frame = 0
    const soon = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0
        look()
      })
    }
    addEventListener('scroll', soon, { passive: true })
    addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', soon)
      removeEventListener('resize', soon)
    }
  }, [])
  useLayoutEffect(look)

  const shown = blocks.slice(range[0], range[1])
  const above = blocks.slice(0, range[0]).reduce((sum, block) => sum + heightOf(block), 0)
  const below = blocks.slice(range[1]).reduce((sum, block) => sum + heightOf(block), 0)

  useEffect(() => {
    const index = blocks.findIndex(({ key }) => key === wanted)
    const element = place.current
    if (index < 0 || element === null) return
    const offset = blocks.slice(0, index).reduce((sum, block) => sum + heightOf(block), 0)
    scrollTo(0, element.getBoundingClientRect().top + scrollY + offset - innerHeight / 3)
    // The content of the block may only now be loading. When the sought message is drawn, it scrolls itself
    // into view.
  }, [wanted])

  return (
    <div ref={place} class="virtual-list">
      <div style={{ height: `${above}px` }} />
      {shown.map(block => (
        <Measured
          key={block.key}
          onHeight={height => {
            if (heights.current.get(block.key) === height) return
            heights.current.set(block.key, height)
            redraw(count => count + 1)
          }}
        >
          {block.render()}
        </Measured>
      ))}
      <div style={{ height: `${below}px` }} />
    </div>
  )
}

function Measured({
  onHeight,
  children,
}: {
  readonly onHeight: (height: number) => void
  readonly children: ComponentChildren
}) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(onHeight)
  latest.current = onHeight
  useEffect(() => {
    // The observer also reports a removed element, with no height. Ignore that: the block must come back as
    // high as it was.
    const observer = new ResizeObserver(([entry]) => {
      if (entry!.target.isConnected) latest.current(entry!.contentRect.height)
    })
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  return <div ref={place}>{children}</div>
}
