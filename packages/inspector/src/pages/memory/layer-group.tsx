import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Layer } from '../../api/types.ts'
import { useLayerTexts } from './use-layer-texts.ts'

/** A layer in the list: what it is for, who sees it, and its documents. */
export function LayerGroup({
  layer,
  children,
}: {
  readonly layer: Layer
  readonly children: ComponentChildren
}) {
  const { name, about } = useLayerTexts()[layer]
  const title = useId()
  return (
    <section class="memory-group" aria-labelledby={title}>
      <h2 id={title}>{name}</h2>
      <p class="hint">{about}</p>
      {children}
    </section>
  )
}
