import type { SessionKey } from './session-key.ts'

/** What was set at run time, for a namespace or for a session. */
export interface SettingsStore {
  /** Sets some of a session's own settings, as `writeSettings` does it for a namespace. */
  updateSettings(
    key: SessionKey,
    changes: Readonly<Record<string, unknown>>,
    options?: { readonly expected?: Readonly<Record<string, unknown>> },
  ): Promise<void>
  /** A session's own settings. The answer is empty if there is no session. */
  readOwnSettings(key: SessionKey): Promise<Readonly<Record<string, unknown>>>
  /** What was set at run time for a whole namespace, by name. Nothing else is in the answer. */
  readSettings(namespace: string): Promise<Readonly<Record<string, unknown>>>
  /**
   * Sets all of these settings or none, and leaves the others as they are. `null` removes a setting. Values
   * are kept as JSON. If two calls set the same name at once, one of them is the last, and its value stays.
   * With `expected`, the present values must be these, or the call fails with a `SettingsConflictError`.
   */
  writeSettings(
    namespace: string,
    changes: Readonly<Record<string, unknown>>,
    options?: { readonly expected?: Readonly<Record<string, unknown>> },
  ): Promise<void>
  /** Grows with every change of settings or keys, in any namespace and by any process. */
  readRevision(): Promise<number>
}
