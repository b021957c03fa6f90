import { defineTexts } from '../../language/language.ts'
import { WhenLoaded } from '../../ui/loading.tsx'
import { SettingsForm } from './settings-form.tsx'
import { useSettings } from './use-settings.ts'
import './settings.css'

const useTexts = defineTexts({
  en: { title: 'Settings', about: 'Kept on the server, and the same for everybody who uses it.' },
  zh: { title: '设置', about: '保存在服务器上，对所有使用者都相同。' },
})

export function SettingsPage() {
  const texts = useTexts()
  const editor = useSettings()
  return (
    <div class="settings">
      <header class="page-head">
        <h1>{texts.title}</h1>
        <p class="soft">{texts.about}</p>
      </header>
      <WhenLoaded loaded={editor.loaded}>
        {answer => <SettingsForm answer={answer} editor={editor} />}
      </WhenLoaded>
    </div>
  )
}
