import type { SettingDescription } from '../../../api/types.ts'
import { defineTexts } from '../../../language/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { Disclosure } from '../disclosure.tsx'
import { type FieldState, SettingField } from '../fields/setting-field.tsx'
import { problemsOf } from '../problems.ts'
import { RhythmFigure } from '../rhythm/rhythm-figure.tsx'
import type { Replayed } from '../use-replay.ts'
import { PresetCards } from './preset-cards.tsx'
import { MAIN_NUMBERS, type Preset } from './presets.ts'

const useTexts = defineTexts({
  en: {
    title: 'When to fold',
    about:
      'A long conversation does not fit into a request. The newest part is sent as it was said; what is older is folded into summaries, and nothing is lost. Choose when that happens.',
    numbers: 'Its numbers',
    turns:
      'A turn is what somebody says and the answer to it: the newest A turns always reach the model word for word. Older turns wait until there are B of them, and are then folded together into one summary, so a larger B folds less often and sends a little more in between.',
    more: 'More numbers of this preset',
    reset: 'Reset these numbers to default',
    resetPreset: 'Reset the preset to default',
  },
  zh: {
    title: '何时折叠',
    about:
      '很长的对话放不进一次请求。最新的部分按原文发送，更早的折叠成摘要，什么都不会丢失。在这里选择何时折叠。',
    numbers: '数值',
    turns:
      '一轮是某人说的话和对它的回答：最新的 A 轮始终一字不改地交给模型。更早的轮次先等着，攒够 B 轮就一起折叠成一份摘要；B 越大，折叠越少，其间发送的内容略多。',
    more: '此方案的更多数值',
    reset: '这些数值恢复默认',
    resetPreset: '方案恢复默认',
  },
})

export function PolicySection({
  preset,
  inForce,
  source,
  problem,
  onChoose,
  descriptions,
  fieldOf,
  replayed,
  onRetry,
  onReset,
  onResetPreset,
}: {
  readonly preset: Preset
  readonly inForce: string
  /** The source of the preset in force. */
  readonly source: string
  /** Why the server cannot take the choice; `null`: it can take it. */
  readonly problem: string | null
  readonly onChoose: (preset: Preset) => void
  /** The numbers of this preset. */
  readonly descriptions: readonly SettingDescription[]
  readonly fieldOf: (description: SettingDescription) => FieldState
  readonly replayed: Replayed
  readonly onRetry: () => void
  /** `null`: there is nothing to reset. */
  readonly onReset: (() => void) | null
  readonly onResetPreset: (() => void) | null
}) {
  const texts = useTexts()
  const names = MAIN_NUMBERS[preset]
  const main = names.flatMap(name => descriptions.filter(each => each.name === name))
  const more = descriptions.filter(({ name }) => !names.includes(name))
  const hasProblem = more.some(description => fieldOf(description).problem !== null)
  // If the server complains about a number, the message stands at that number.
  const isFailure = replayed.error !== null && Object.keys(problemsOf(replayed.error)).length === 0
  return (
    <section class="card settings-policy" aria-labelledby="settings-policy">
      <header>
        <h2 id="settings-policy">{texts.title}</h2>
        <p class="soft">{texts.about}</p>
      </header>
      <PresetCards chosen={preset} inForce={inForce} source={source} onChoose={onChoose} />
      {problem !== null && (
        <p class="setting-problem" role="alert">
          {problem}
        </p>
      )}
      <div class="policy-body">
        <div class="policy-numbers">
          <h3>{texts.numbers}</h3>
          {preset === 'rounds' && <p class="policy-explained">{texts.turns}</p>}
          {main.map(description => (
            <SettingField
              key={description.name}
              description={description}
              field={fieldOf(description)}
              detail="brief"
            />
          ))}
          {more.length > 0 && (
            <Disclosure summary={texts.more} isNeeded={hasProblem}>
              {more.map(description => (
                <SettingField
                  key={description.name}
                  description={description}
                  field={fieldOf(description)}
                  detail="brief"
                />
              ))}
            </Disclosure>
          )}
          <div class="policy-resets">
            {onReset && (
              <Button look="quiet" onClick={onReset}>
                {texts.reset}
              </Button>
            )}
            {onResetPreset && (
              <Button look="quiet" onClick={onResetPreset}>
                {texts.resetPreset}
              </Button>
            )}
          </div>
        </div>
        <div class="policy-drawing">
          {isFailure && <ErrorNotice error={replayed.error} onRetry={onRetry} />}
          <RhythmFigure replayed={replayed} />
        </div>
      </div>
    </section>
  )
}
