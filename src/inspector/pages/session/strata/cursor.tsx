import { defineTexts, useFormats } from '../../../language/language.ts'

const useTexts = defineTexts({
  en: { through: (seq: string) => `folded through message ${seq}` },
  zh: { through: (seq: string) => `已折叠至第 ${seq} 条消息` },
})

/** The line between what is raw and what is folded. */
export function Cursor({ through }: { readonly through: number }) {
  const texts = useTexts()
  const { number } = useFormats()
  return (
    <p class="cursor-line">
      <span>{texts.through(number(through))}</span>
    </p>
  )
}
