import { useId, useState } from 'preact/hooks'
import { defineTexts } from '../../language/language.ts'
import { goTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'

const useTexts = defineTexts({
  en: { title: 'A receipt by its number', number: 'Number', open: 'Open' },
  zh: { title: '按编号查看回执', number: '编号', open: '打开' },
})

export function OpenReceipt() {
  const texts = useTexts()
  const field = useId()
  const [typed, setTyped] = useState('')
  return (
    <section class="erasure-open">
      <h2>{texts.title}</h2>
      <form
        onSubmit={event => {
          event.preventDefault()
          goTo(['erasures', typed])
        }}
      >
        <label for={field}>{texts.number}</label>
        <input
          id={field}
          required
          inputMode="numeric"
          pattern="[1-9][0-9]{0,14}"
          autocomplete="off"
          value={typed}
          onInput={event => setTyped(event.currentTarget.value.trim())}
        />
        <Button type="submit">{texts.open}</Button>
      </form>
    </section>
  )
}
