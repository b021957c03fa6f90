import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { defineTexts } from '../language/language.ts'

const useTexts = defineTexts({ en: { close: 'Close' }, zh: { close: '关闭' } })

/** A window over the page. Escape and the cross close it. Then the focus goes back to where it was. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  const texts = useTexts()
  const place = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const before = globalThis.document.activeElement
    place.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={place} class="dialog" aria-labelledby={titleId} onClose={onClose}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="button quiet icon" aria-label={texts.close} onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}
