import { useEffect, useRef, useState } from 'preact/hooks'
import type { SettingDescription, SettingsAnswer } from '../../api/types.ts'
import { CostComparison } from './costs/cost-comparison.tsx'
import { slipsOf } from './draft.ts'
import { textOf } from './draft-text.ts'
import type { FieldState } from './fields/setting-field.tsx'
import { OtherSettings } from './other-settings.tsx'
import { PolicySection } from './policy/policy-section.tsx'
import { defaultFor, isPreset, type Preset, presetAfterSaving } from './policy/presets.ts'
import { problemsOf } from './problems.ts'
import { SaveBar } from './save-bar.tsx'
import { usePresetReplays } from './use-preset-replays.ts'
import type { SettingsEditor } from './use-settings.ts'

/**
 * All settings as one form. Nothing is in force before the reader saves, and all changes are saved at once.
 */
export function SettingsForm({
  answer,
  editor,
}: {
  readonly answer: SettingsAnswer
  readonly editor: SettingsEditor
}) {
  const { settings, sources, policyChosenBy, schema = [], messages = [], ceilings } = answer
  const { draft, problems, refusals, edit, saveState, failure } = editor
  const [round, setRound] = useState(0)
  const inForce = textOf(settings['policy'])
  const chosen = draft['policy'] ? presetAfterSaving(answer, draft) : inForce
  const preset: Preset = isPreset(chosen) ? chosen : 'tokens'
  const replays = usePresetReplays(answer, draft, { drawn: preset, round })
  const replayed = replays[preset]
  const place = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // Once for each refusal. A reader who corrects one of several problems keeps the focus.
    if (refusals > 0) place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [refusals])

  // How one number must relate to others, only the server checks, when it replays them as they are typed.
  const found = { ...problemsOf(replayed.error), ...slipsOf(draft, schema), ...problems }
  const fieldOf = (description: SettingDescription): FieldState => {
    const { name } = description
    const own = draft[name]
    const source = sources[name] ?? 'default'
    const usual = defaultFor(preset, description)
    // A setting that is set nowhere may have another default in a preset that is not in force.
    const current = textOf(source === 'default' ? usual : settings[name])
    return {
      text: own === undefined ? current : (own.text ?? textOf(usual)),
      source,
      isEdited: own !== undefined,
      isResetting: own?.text === null,
      isSet: settings[name] === true,
      changedTo: own !== undefined && own.base !== current ? current : null,
      problem: found[name] ?? null,
      isBounded: ceilings !== undefined,
      ceiling: ceilings?.[name] === undefined ? null : textOf(ceilings[name]),
      edit: text => edit(name, text, current),
    }
  }
  const ofPreset = schema.filter(({ presets }) => presets?.includes(preset))
  const resettable = ofPreset.filter(
    ({ name }) => (sources[name] === 'stored' && draft[name]?.text !== null) || draft[name]?.text,
  )
  const reset = () => {
    for (const description of resettable) {
      const field = fieldOf(description)
      if (field.source === 'stored') field.edit(null)
      else edit(description.name, draft[description.name]!.base, draft[description.name]!.base)
    }
  }
  return (
    <form
      ref={place}
      class="settings-form"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        void editor.save(preset)
      }}
    >
      <PolicySection
        preset={preset}
        inForce={inForce}
        source={sources['policy'] ?? 'default'}
        problem={found['policy'] ?? null}
        onChoose={name => edit('policy', name, inForce)}
        descriptions={ofPreset}
        fieldOf={fieldOf}
        replayed={replayed}
        onRetry={() => setRound(before => before + 1)}
        onReset={resettable.length > 0 ? reset : null}
        onResetPreset={
          sources['policy'] === 'stored' && policyChosenBy === undefined && draft['policy'] === undefined
            ? () => edit('policy', null, inForce)
            : null
        }
      />
      <CostComparison replays={replays} edited={preset} inForce={inForce} />
      <OtherSettings schema={schema} settings={settings} fieldOf={fieldOf} />
      {messages.length > 0 && (
        <div class="setting-meanwhile" role="status">
          {messages.map(message => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
      <SaveBar
        changes={Object.keys(draft).length}
        state={saveState}
        failure={failure}
        problems={problems}
        onDiscard={editor.discard}
      />
    </form>
  )
}
