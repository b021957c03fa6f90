import { defineTexts, useFormats } from '../../../language/language.ts'

const useTexts = defineTexts({
  en: {
    through: (seq: string) => `folded through message ${seq}`,
    begins: (seq: string) => `contexts begin after message ${seq}: a new beginning`,
  },
  zh: {
    through: (seq: string) => `已折叠至第 ${seq} 条消息`,
    begins: (seq: string) => `上下文从第 ${seq} 条消息之后开始：新的开始`,
  },
})

/** The line between raw and folded messages. */
export function Cursor({ through }: { readonly through: number }) {
  const texts = useTexts()
  const { number } = useFormats()
  return (
    <p class="cursor-line">
      <span>{texts.through(number(through))}</span>
    </p>
  )
}

/** The line where contexts begin. They show nothing older. */
export function BeginningLine({ after }: { readonly after: number }) {
  const texts = useTexts()
  const { number } = useFormats()
  return (
    <p class="cursor-line">
      <span>{texts.begins(number(after))}</span>
    </p>
  )
}
