import type { SettingDescription } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { textOf } from './draft-text.ts'
import { useAllowedText } from './fields/allowed-text.ts'
import { useSettingText } from './fields/setting-texts.ts'

const useTexts = defineTexts({
  en: { default: 'Default:', now: 'Now:', allowed: 'Allowed:', none: 'none' },
  zh: { default: '默认：', now: '当前：', allowed: '允许：', none: '无' },
})

/** Read-only. Each setting can be changed by its name in the environment. */
export function StartSettings({
  descriptions,
  settings,
}: {
  readonly descriptions: readonly SettingDescription[]
  readonly settings: Readonly<Record<string, unknown>>
}) {
  const texts = useTexts()
  const allowedText = useAllowedText('environment')
  const settingText = useSettingText()
  return (
    <dl class="start-settings">
      {descriptions.map(description => {
        const { name, environment, allowed } = description
        const now = settings[name]
        return (
          <div key={name}>
            <dt>
              <span>{name}</span>
              <code>{environment}</code>
            </dt>
            <dd>
              <p>{settingText(description).help}</p>
              <p class="hint">
                {now !== undefined && `${texts.now} ${textOf(now) || texts.none} · `}
                {texts.default} {textOf(description.default) || texts.none} · {texts.allowed}{' '}
                {allowedText(allowed)}
              </p>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
