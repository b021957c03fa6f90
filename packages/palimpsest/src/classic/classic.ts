import { InvalidArgumentError } from '../errors.ts'
import { DEFAULT_EVENT_RETENTION_DAYS } from '../event-trimmer.ts'
import { createPalimpsest, type Palimpsest, type PalimpsestOptions } from '../palimpsest.ts'
import { resize } from '../policy/index.ts'
import { type ClassicEngine, ClassicSession } from './classic-session.ts'
import { type ClassicSettings, changeSettings, DEFAULT_SETTINGS } from './settings.ts'

/** Those of the engine; when something is folded and by whom is for the sessions to say. */
export interface ClassicOptions extends Omit<PalimpsestOptions, 'policy' | 'handlers' | 'folding'> {
  /** For every session; each may have its own over them. */
  readonly settings?: ClassicSettings
}

const SAID_OTHERWISE: Readonly<Record<string, string>> = {
  policy: 'settings, or setPolicyHandler of a session',
  handlers: 'setResizeHandlers of a session',
  folding: 'nothing: only resize() of a session folds',
}

/** Opens the store, for sessions of two histories and a memo. */
export async function createClassic(options: ClassicOptions): Promise<Classic> {
  const { settings = {}, ...rest } = options ?? {}
  const odd = Object.keys(rest).find(name => Object.hasOwn(SAID_OTHERWISE, name))
  if (odd !== undefined) throw new InvalidArgumentError('options', odd, SAID_OTHERWISE[odd]!)
  const { instructions = DEFAULT_SETTINGS.memoInstructions } = rest.memo ?? {}
  const resolved = changeSettings({ ...DEFAULT_SETTINGS, memoInstructions: instructions }, settings)
  const { memoInstructions, ...rules } = resolved
  const palimpsest = await createPalimpsest({
    eventRetentionDays: DEFAULT_EVENT_RETENTION_DAYS,
    ...{ ...rest, folding: 'manual', policy: resize(rules) },
    memo: { ...rest.memo, instructions: memoInstructions },
  })
  const { store, namespace = 'default', clock = Date.now, summarizerTimeoutMs = 120_000 } = options
  return new Classic({ palimpsest, store, namespace, clock, summarizerTimeoutMs, settings: resolved })
}

export class Classic implements AsyncDisposable {
  readonly #engine: ClassicEngine

  constructor(engine: ClassicEngine) {
    this.#engine = engine
  }

  /** Everything else: searching, memory documents, erasure, import. */
  get palimpsest(): Palimpsest {
    return this.#engine.palimpsest
  }

  /**
   * A session with its current history loaded; one of that name that is not there yet is empty. Without a name it gets
   * one of 32 hexadecimal digits.
   */
  async session(id: string = newId(), settings: ClassicSettings = {}): Promise<ClassicSession> {
    const session = new ClassicSession(this.#engine, this.palimpsest.session(id), settings)
    await session.refresh()
    return session
  }

  close(): Promise<void> {
    return this.palimpsest.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function newId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
