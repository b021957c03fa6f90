import type { SettingDescription } from '../../../api/types.ts'
import { defineTexts } from '../../../language/language.ts'
import { Button } from '../../../ui/button.tsx'
import { useAllowedText } from './allowed-text.ts'
import { SettingControl } from './setting-control.tsx'
import { useSettingText } from './setting-texts.ts'
import { SourceChip } from './source-chip.tsx'

const useTexts = defineTexts({
  en: {
    reset: 'Reset',
    resetNamed: (label: string) => `Reset: ${label}`,
    allowed: 'Allowed:',
    refused: 'This cannot be taken. Allowed:',
    environment: 'Environment:',
    others: (value: string) => `Meanwhile somebody set it to ${value}. Saving puts yours in its place.`,
    nothing: 'nothing',
    resetting: 'What is stored is taken away: the environment or the default holds.',
    ceiling: (value: string) => `The operator of the server allows at most ${value}: it can be lowered here.`,
    fixed: 'The operator of the server sets this; here it cannot be changed.',
    freeWithKey: "The operator of the server sets this, unless a key for the model's API is given here, too.",
  },
  zh: {
    reset: '重置',
    resetNamed: (label: string) => `重置：${label}`,
    allowed: '允许：',
    refused: '不能使用此值。允许：',
    environment: '环境变量：',
    others: (value: string) => `其间有人把它设为 ${value}。保存会以您的值替换。`,
    nothing: '空',
    resetting: '将去除已保存的值，改用环境变量或默认值。',
    ceiling: (value: string) => `服务器的运营方最多允许 ${value}：在此可以调低。`,
    fixed: '此项由服务器的运营方设置，在此不能更改。',
    freeWithKey: '此项由服务器的运营方设置，除非在此同时提供模型的密钥。',
  },
})

export interface FieldState {
  /** The text on the screen: the reader's own, or the value in force. */
  readonly text: string
  readonly source: string
  readonly isEdited: boolean
  readonly isResetting: boolean
  /** For a secret: whether one is set. */
  readonly isSet: boolean
  /** The value that another person has set since; `null`: none. */
  readonly changedTo: string | null
  /** What is allowed, if the text is not; `null`: the text is allowed. */
  readonly problem: string | null
  /**
   * Whether the operator of the server bounds the setting here. `ceiling` is the limit; `null`: there is
   * none.
   */
  readonly isBounded: boolean
  readonly ceiling: string | null
  readonly edit: (text: string | null) => void
}

/** One setting: its name and meaning, its control, the source of its value, and what is wrong with it. */
export function SettingField({
  description,
  field,
  detail = 'full',
}: {
  readonly description: SettingDescription
  readonly field: FieldState
  /** `brief`: says what is allowed only if the value is not. */
  readonly detail?: 'full' | 'brief'
}) {
  const texts = useTexts()
  const allowedText = useAllowedText()
  const { label, help } = useSettingText()(description)
  const { name, allowed, environment, namespace, freeWithKey } = description
  const { problem, changedTo, isEdited, isResetting, source, isBounded, ceiling } = field
  const isFixed = isBounded && namespace === 'fixed' && name !== 'modelApiKey'
  const id = `setting-${name}`
  const mayReset = (source === 'stored' || source === 'operator') && !isResetting
  return (
    <div class={`setting ${problem === null ? '' : 'refused'}`}>
      <div class="setting-head">
        <label for={id}>{label}</label>
        <SourceChip source={isEdited ? 'unsaved' : source} />
        {mayReset && (
          <Button look="quiet" aria-label={texts.resetNamed(label)} onClick={() => field.edit(null)}>
            {texts.reset}
          </Button>
        )}
      </div>
      <SettingControl id={id} describedBy={`${id}-help`} description={description} field={field} />
      <div id={`${id}-help`} class="setting-help">
        {problem !== null && (
          <p class="setting-problem" role="alert">
            {texts.refused} {allowedText(problem)}
          </p>
        )}
        {isResetting && <p class="hint">{texts.resetting}</p>}
        {changedTo !== null && (
          <p class="setting-meanwhile">{texts.others(changedTo === '' ? texts.nothing : changedTo)}</p>
        )}
        <p class="hint">{help}</p>
        {ceiling !== null && <p class="hint">{texts.ceiling(ceiling)}</p>}
        {isFixed && <p class="hint">{freeWithKey ? texts.freeWithKey : texts.fixed}</p>}
        {detail === 'full' && (
          <>
            <p class="hint">
              {texts.allowed} {allowedText(allowed)}
            </p>
            <p class="hint">
              {texts.environment} <code>{environment}</code>
            </p>
          </>
        )}
      </div>
    </div>
  )
}
