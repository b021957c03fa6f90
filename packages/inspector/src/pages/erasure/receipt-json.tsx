import { useRef, useState } from 'preact/hooks'
import type { ErasureReceipt } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'

const useTexts = defineTexts({
  en: {
    copy: 'Copy as JSON',
    copied: 'Copied.',
    selected: 'It is selected below: copy it with the keyboard.',
    print: 'Print',
    json: 'As JSON',
  },
  zh: {
    copy: '复制为 JSON',
    copied: '已复制。',
    selected: '已在下方选中：请用键盘复制。',
    print: '打印',
    json: 'JSON 格式',
  },
})

/** The receipt as JSON, to copy or to print. */
export function ReceiptJson({ receipt }: { readonly receipt: ErasureReceipt }) {
  const texts = useTexts()
  const [result, setResult] = useState('')
  const details = useRef<HTMLDetailsElement>(null)
  const text = useRef<HTMLPreElement>(null)
  const json = JSON.stringify(receipt, null, 2)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(json)
      setResult(texts.copied)
    } catch {
      // A page has no clipboard over plain HTTP from another machine, or if the browser forbids it.
      if (details.current) details.current.open = true
      if (text.current) getSelection()?.selectAllChildren(text.current)
      setResult(texts.selected)
    }
  }
  return (
    <>
      <p class="receipt-actions">
        <Button onClick={copy}>{texts.copy}</Button>
        <Button onClick={() => print()}>{texts.print}</Button>
        <span class="hint" role="status">
          {result}
        </span>
      </p>
      <details ref={details} class="receipt-json">
        <summary>{texts.json}</summary>
        <pre ref={text}>{json}</pre>
      </details>
    </>
  )
}
