import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** A part of a long list: what is far from the screen is only as high as it would be. */
export interface Block {
  readonly key: string
  /** Its height until it has been shown, in pixels. */
  readonly estimate: number
  readonly render: () => ComponentChildren
}

/** So far beyond the edges of the screen something is made already. */
const MARGIN_PX = 800

/**
 * Blocks one below the other, of which only those near the screen exist. Heights are measured as they come, so that
 * the scroll bar is right in the end; the browser keeps what is seen in its place meanwhile.
 */
export function VirtualList({
  blocks,
  wanted,
}: {
  readonly blocks: readonly Block[]
  /** The key of a block to be brought onto the screen, when it changes. */
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
    // What it holds may be asked for only now: whoever is wanted brings itself onto the screen then.
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
    // Of what was just taken away it is told, too, that it has no height any more: it comes back as high as it was.
    const observer = new ResizeObserver(([entry]) => {
      if (entry!.target.isConnected) latest.current(entry!.contentRect.height)
    })
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  return <div ref={place}>{children}</div>
}
