import type { SettingDescription, SettingsAnswer } from '../../api/types.ts'
import type { Draft } from './draft-text.ts'
import { isNumberAllowed } from './fields/check-number.ts'
import { mayBeNone } from './fields/choices.ts'
import { defaultFor, presetAfterSaving } from './policy/presets.ts'

/** If the reader goes back to the value in force, the edit is gone. */
export function withEdit(
  draft: Draft,
  { name, text, current }: { readonly name: string; readonly text: string | null; readonly current: string },
): Draft {
  const { [name]: before, ...others } = draft
  if (text === current) return others
  return { ...others, [name]: { text, base: before?.base ?? current } }
}

/**
 * The value as the server takes it. A text that is no number is sent as it was typed, and the server refuses
 * it with a reason.
 */
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
 * The changes to send to the server. The numbers might choose another preset than the one on the screen, or
 * belong to several. Then the preset on the screen is sent with them, so that the reader gets what the page
 * shows.
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

/** Typed texts that are no allowed number. */
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

/** Edits made during the saving stay. */
export function withoutSaved(draft: Draft, saved: Draft): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([name, edit]) => saved[name] !== edit))
}

/**
 * What to replay for a preset: its numbers as they would be after saving, without those at their defaults.
 * `null`: a number is not allowed.
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
        // A replay starts from the stored settings, so without this the stored value would still hold.
        if (edit?.text === null) return [[name, defaultFor(preset, description) ?? 'none']]
        if (edit !== undefined) return [[name, sentValue(description, edit.text)]]
        return sources[name] === 'default' ? [] : [[name, settings[name] ?? 'none']]
      }),
    ),
  }
}
