import { useState } from 'preact/hooks'
import { ApiError } from '../../api/api-error.ts'
import * as api from '../../api/index.ts'
import type { SettingsAnswer } from '../../api/types.ts'
import { useGlances } from '../../state/use-glances.ts'
import { type Loaded, useLoaded } from '../../state/use-loaded.ts'
import { createValue, useValue } from '../../state/value.ts'
import { sentChanges, withEdit, withoutSaved } from './draft.ts'
import type { Draft } from './draft-text.ts'
import { type Problems, problemsOf } from './problems.ts'

/** Outlives the page: a reader who visits another page and comes back has lost nothing. */
const draftValue = createValue<Draft>({})

/** `saved` holds until the next edit. */
export type SaveState = 'idle' | 'saving' | 'saved'

export interface SettingsEditor {
  readonly loaded: Loaded<SettingsAnswer>
  readonly draft: Draft
  readonly saveState: SaveState
  /** Why saving failed, if the reason is not a single setting. */
  readonly failure: unknown
  /** What the server refused, by setting. */
  readonly problems: Problems
  /** How often the server refused something. */
  readonly refusals: number
  edit(name: string, text: string | null, current: string): void
  discard(): void
  /** `preset` is the preset on the screen. It is to be in force. */
  save(preset: string): Promise<void>
}

/** The last answer replaces all but the schema, so that nothing old remains. */
function withAnswer(fetched: SettingsAnswer, answer: SettingsAnswer): SettingsAnswer {
  return { ...answer, ...(fetched.schema && { schema: fetched.schema }) }
}

export function useSettings(): SettingsEditor {
  const fetched = useLoaded(signal => api.readSettings({ signal }), [])
  const draft = useValue(draftValue)
  const [saveState, setSaveState] = useState<SaveState>('idle')
  const [failure, setFailure] = useState<unknown>(null)
  const [problems, setProblems] = useState<Problems>({})
  const [refusals, setRefusals] = useState(0)
  const [saved, setSaved] = useState<{ over: SettingsAnswer; answer: SettingsAnswer } | null>(null)
  useGlances(fetched.reload)
  // The answer to a save is newer than what was loaded before it, and older than what is loaded after it.
  const value =
    saved !== null && saved.over === fetched.value ? withAnswer(fetched.value, saved.answer) : fetched.value

  const edit = (name: string, text: string | null, current: string) => {
    draftValue.set(withEdit(draftValue.get(), { name, text, current }))
    setSaveState(before => (before === 'saved' ? 'idle' : before))
    setProblems(({ [name]: _, ...others }) => others)
  }
  const discard = () => {
    draftValue.set({})
    setSaveState('idle')
    setFailure(null)
    setProblems({})
  }
  const save = async (preset: string) => {
    if (value === undefined || saveState === 'saving') return
    const sent = draftValue.get()
    setSaveState('saving')
    setFailure(null)
    setProblems({})
    try {
      const answer = await api.changeSettings(sentChanges(value, sent, preset))
      setSaved({ over: fetched.value!, answer })
      draftValue.set(withoutSaved(draftValue.get(), sent))
      setSaveState('saved')
    } catch (error) {
      const refused = problemsOf(error)
      if (Object.keys(refused).length > 0) {
        setProblems(refused)
        setRefusals(before => before + 1)
      } else setFailure(error instanceof ApiError ? error : String(error))
      setSaveState('idle')
    }
  }
  return { loaded: { ...fetched, value }, draft, saveState, failure, problems, refusals, edit, discard, save }
}
