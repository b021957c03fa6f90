import type { SettingsAnswer } from '../../api/types.ts'
import { replayRequest } from './draft.ts'
import type { Draft } from './draft-text.ts'
import { PRESETS, type Preset } from './policy/presets.ts'
import { type Replayed, useReplay } from './use-replay.ts'

/** Replays every preset with its present numbers. One is drawn, and all are compared. */
export function usePresetReplays(
  answer: SettingsAnswer,
  draft: Draft,
  { drawn, round }: { readonly drawn: Preset; readonly round: number },
): Readonly<Record<Preset, Replayed>> {
  return Object.fromEntries(
    // The presets and their order never change, so calling a hook in a loop is safe.
    PRESETS.map(preset => [
      preset,
      useReplay(replayRequest(preset, answer, draft), {
        purpose: preset === drawn ? 'drawn' : 'compared',
        round,
      }),
    ]),
  ) as Record<Preset, Replayed>
}
