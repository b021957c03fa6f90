import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Chart, ChartDrawing } from './draw-chart.ts'
import { loadChart } from './load-chart.ts'

/**
 * Draws into the element with the returned reference, and draws again when one of `inputs` or the colours
 * change. The first drawing loads the code that draws.
 */
export function useDrawing(
  drawing: ChartDrawing,
  inputs: readonly unknown[],
): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(drawing)
  latest.current = drawing
  useEffect(() => {
    let chart: Chart | null = null
    let isOver = false
    const draw = async () => {
      const { drawChart } = await loadChart()
      if (isOver || place.current === null) return
      chart?.destroy()
      chart = drawChart(place.current, latest.current)
    }
    const sizes = new ResizeObserver(([entry]) => chart?.resize(Math.floor(entry!.contentRect.width)))
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    sizes.observe(place.current!)
    scheme.addEventListener('change', draw)
    void draw()
    return () => {
      isOver = true
      sizes.disconnect()
      scheme.removeEventListener('change', draw)
      chart?.destroy()
    }
  }, inputs)
  return place
}
