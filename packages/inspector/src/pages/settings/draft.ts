import type { SettingDescription, SettingsAnswer } from '../../api/types.ts'
import type { Draft } from './draft-text.ts'
import { isNumberAllowed } from './fields/check-number.ts'
import { mayBeNone } from './fields/choices.ts'
import { defaultFor, presetAfterSaving } from './policy/presets.ts'

/** Going back to what is in force is no edit. */
export function withEdit(
  draft: Draft,
  { name, text, current }: { readonly name: string; readonly text: string | null; readonly current: string },
): Draft {
  const { [name]: before, ...others } = draft
  if (text === current) return others
  return { ...others, [name]: { text, base: before?.base ?? current } }
}

/** As the server takes it: what is no number is sent as it was typed, and refused with a reason. */
export function sentValue({ type, allowed }: SettingDescription, text: string): unknown {
  if (text.trim() === '') return mayBeNone(allowed) ? 'none' : ''
  if (type === 'string') return text
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

export function changesOf(draft: Draft, schema: readonly SettingDescription[]): Record<string, unknown> {
  return Object.fromEntries(
    schema.flatMap(description => {
      const edit = draft[description.name]
      if (edit === undefined) return []
      return [[description.name, edit.text === null ? null : sentValue(description, edit.text)]]
    }),
  )
}

/**
 * What saving sends. Where the numbers would choose another preset than the one that is shown, or are of several, the
 * one that is shown is named with them: what somebody sees is what they get.
 */
export function sentChanges(
  answer: SettingsAnswer,
  draft: Draft,
  shown: string,
): Readonly<Record<string, unknown>> {
  const { schema = [] } = answer
  const changes = changesOf(draft, schema)
  const isOfPreset = schema.some(({ name, presets }) => presets?.length === 1 && name in changes)
  if ('policy' in changes || !isOfPreset) return changes
  return presetAfterSaving(answer, draft) === shown ? changes : { ...changes, policy: shown }
}

/** What was typed and is no number that could be taken. */
export function slipsOf(
  draft: Draft,
  schema: readonly SettingDescription[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    schema.flatMap(description => {
      const text = draft[description.name]?.text
      if (text === null || text === undefined || isNumberAllowed(description, text)) return []
      return [[description.name, description.allowed]]
    }),
  )
}

/** What was typed while others were being saved stays. */
export function withoutSaved(draft: Draft, saved: Draft): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([name, edit]) => saved[name] !== edit))
}

/**
 * What to replay for a preset: its numbers as they would be after saving, those at their defaults left out. `null`: one
 * of them cannot be taken.
 */
export function replayRequest(
  preset: string,
  { settings, sources, schema = [] }: SettingsAnswer,
  draft: Draft,
): Readonly<Record<string, unknown>> | null {
  const own = schema.filter(({ presets }) => presets?.includes(preset))
  if (Object.keys(slipsOf(draft, own)).length > 0) return null
  return {
    policy: preset,
    ...Object.fromEntries(
      own.flatMap(description => {
        const { name } = description
        const edit = draft[name]
        // What is stored would hold otherwise: a replay is asked on top of it.
        if (edit?.text === null) return [[name, defaultFor(preset, description) ?? 'none']]
        if (edit !== undefined) return [[name, sentValue(description, edit.text)]]
        return sources[name] === 'default' ? [] : [[name, settings[name] ?? 'none']]
      }),
    ),
  }
}
