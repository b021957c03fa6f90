import { defineTexts } from '../../../language/language.ts'
import { SourceChip } from '../fields/source-chip.tsx'
import { usePresetTexts } from './preset-texts.ts'
import { PRESETS, type Preset } from './presets.ts'

const useTexts = defineTexts({
  en: { legend: 'When to fold', inForce: 'in force', unsaved: 'not saved yet' },
  zh: { legend: '何时折叠', inForce: '生效中', unsaved: '尚未保存' },
})

/** Each preset is a radio button, so that the arrow keys move between them. */
export function PresetCards({
  chosen,
  inForce,
  source,
  onChoose,
}: {
  readonly chosen: Preset
  readonly inForce: string
  readonly source: string
  readonly onChoose: (preset: Preset) => void
}) {
  const texts = useTexts()
  const presetTexts = usePresetTexts()
  return (
    <fieldset class="preset-cards">
      <legend class="visually-hidden">{texts.legend}</legend>
      {PRESETS.map(preset => {
        const { title, about } = presetTexts[preset]
        const isChosen = preset === chosen
        return (
          <label key={preset} class={`preset-card ${isChosen ? 'chosen' : ''}`}>
            <span class="preset-title">
              <input
                type="radio"
                name="policy"
                value={preset}
                checked={isChosen}
                aria-describedby={`preset-${preset}`}
                onChange={() => onChoose(preset)}
              />
              {title}
              <code class="preset-name">{preset}</code>
            </span>
            <span id={`preset-${preset}`} class="preset-about">
              {about}
            </span>
            {preset === inForce ? (
              <span class="preset-chips">
                <span class="chip good">{texts.inForce}</span> <SourceChip source={source} />
              </span>
            ) : (
              isChosen && <span class="chip warn">{texts.unsaved}</span>
            )}
          </label>
        )
      })}
    </fieldset>
  )
}
