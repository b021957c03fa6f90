import type { SettingDescription } from '../../../api/types.ts'
import { defineTexts } from '../../../language/language.ts'
import { choicesOf } from './choices.ts'
import type { FieldState } from './setting-field.tsx'
import { useSettingText } from './setting-texts.ts'
import { SLIDERS } from './sliders.ts'

const useTexts = defineTexts({
  en: {
    slider: (label: string) => `${label}, slider`,
    secret: { set: 'a key is set; type another to replace it', none: 'no key' },
    empty: 'empty',
    notSet: '(not set)',
  },
  zh: {
    slider: (label: string) => `${label}，滑块`,
    secret: { set: '已设置密钥；输入新的以替换', none: '没有密钥' },
    empty: '空',
    notSet: '（未设置）',
  },
})

interface ControlProps {
  readonly id: string
  readonly describedBy: string
  readonly description: SettingDescription
  readonly field: FieldState
}

/**
 * The control for a setting, by the values that it takes. Numbers are text fields, so that nothing typed is
 * lost.
 */
export function SettingControl({ id, describedBy, description, field }: ControlProps) {
  const texts = useTexts()
  const { label } = useSettingText()(description)
  const { name, type, allowed, secret } = description
  const { text, edit, problem, isSet } = field
  const common = {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': problem === null ? undefined : ('true' as const),
  }
  const choices = choicesOf(allowed)
  if (choices !== null)
    return (
      <select {...common} value={text === '' ? 'none' : text} onChange={event => edit(chosen(event))}>
        {choices.map(choice => (
          <option key={choice} value={choice}>
            {choice === 'none' ? texts.notSet : choice}
          </option>
        ))}
      </select>
    )
  if (name === 'memoInstructions')
    return <textarea {...common} rows={3} value={text} onInput={event => edit(event.currentTarget.value)} />
  if (secret)
    return (
      <input
        {...common}
        type="password"
        autocomplete="new-password"
        placeholder={isSet ? texts.secret.set : texts.secret.none}
        value={text}
        onInput={event => edit(event.currentTarget.value)}
      />
    )
  const slider = SLIDERS[name]
  const input = (
    <input
      {...common}
      type="text"
      autocomplete="off"
      spellcheck={false}
      inputMode={type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : 'text'}
      placeholder={texts.empty}
      value={text}
      onInput={event => edit(event.currentTarget.value)}
    />
  )
  if (slider === undefined) return input
  const number = Number(text)
  const isNumber = text.trim() !== '' && Number.isFinite(number)
  return (
    <div class="setting-slider">
      <input
        type="range"
        aria-label={texts.slider(label)}
        min={slider.min}
        max={Math.max(slider.max, isNumber ? number : 0)}
        step={slider.step}
        value={isNumber ? number : slider.min}
        onInput={event => edit(event.currentTarget.value)}
      />
      {input}
    </div>
  )
}

function chosen(event: { readonly currentTarget: HTMLSelectElement }): string {
  const { value } = event.currentTarget
  return value === 'none' ? '' : value
}
