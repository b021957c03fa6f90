import type { SessionKey } from './session-key.ts'

/** What was set at run time, for a namespace or a session. */
export interface SettingsStore {
  /** Sets some of a session's own settings as `writeSettings` does. */
  updateSettings(
    key: SessionKey,
    changes: Readonly<Record<string, unknown>>,
    options?: { readonly expected?: Readonly<Record<string, unknown>> },
  ): Promise<void>
  /** A session's own settings; none where there is no session. */
  readOwnSettings(key: SessionKey): Promise<Readonly<Record<string, unknown>>>
  /** What was set at run time for a whole namespace, by name; nothing else is in it. */
  readSettings(namespace: string): Promise<Readonly<Record<string, unknown>>>
  /**
   * Sets some of them, all or none, and leaves the others as they are; `null` takes one away. Values are
   * kept as JSON. Of two calls at once for the same name one is the last, and its value stays. With `expected`
   * they have to be these, or it is a `SettingsConflictError`.
   */
  writeSettings(
    namespace: string,
    changes: Readonly<Record<string, unknown>>,
    options?: { readonly expected?: Readonly<Record<string, unknown>> },
  ): Promise<void>
  /** Grows with every change of settings or keys, in any namespace and by any process. */
  readRevision(): Promise<number>
}
