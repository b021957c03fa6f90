import { useId, useState } from 'preact/hooks'
import { isKeyWanted, setKey } from '../api/key.ts'
import { defineTexts } from '../language/language.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

const useTexts = defineTexts({
  en: {
    title: 'A key, please',
    about:
      'This server answers only to those who have a key. On its machine, palimpsest keys create makes one.',
    key: 'Key',
    rule: 'Letters, digits and signs of ASCII, without spaces.',
    use: 'Use this key',
    kept: 'It is kept in this tab only, and forgotten with it.',
  },
  zh: {
    title: '请输入密钥',
    about: '此服务器只回应持有密钥的人。可在服务器上用 palimpsest keys create 创建。',
    key: '密钥',
    rule: '仅限 ASCII 字母、数字和符号，不含空格。',
    use: '使用此密钥',
    kept: '只保存在此标签页中，关闭即忘。',
  },
})

export function KeyDialog() {
  const texts = useTexts()
  const field = useId()
  const [typed, setTyped] = useState('')
  return (
    <Dialog title={texts.title} onClose={() => isKeyWanted.set(false)}>
      <form
        onSubmit={event => {
          event.preventDefault()
          setKey(typed.trim())
          // The reload repeats all calls that the server refused.
          location.reload()
        }}
      >
        <p>{texts.about}</p>
        <label for={field}>{texts.key}</label>
        <input
          id={field}
          type="password"
          autocomplete="off"
          required
          // Other characters cannot be in a header: the call would not reach the server.
          pattern="\s*[!-~]+\s*"
          title={texts.rule}
          value={typed}
          onInput={event => setTyped(event.currentTarget.value)}
        />
        <p class="hint">{texts.kept}</p>
        <Button look="primary" type="submit">
          {texts.use}
        </Button>
      </form>
    </Dialog>
  )
}
