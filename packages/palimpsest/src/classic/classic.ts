import { InvalidArgumentError } from '../errors.ts'
import { DEFAULT_EVENT_RETENTION_DAYS } from '../event-trimmer.ts'
import { createPalimpsest, type Palimpsest, type PalimpsestOptions } from '../palimpsest.ts'
import { resize } from '../policy/index.ts'
import { type ClassicEngine, ClassicSession } from './classic-session.ts'
import { type ClassicSettings, changeSettings, DEFAULT_SETTINGS } from './settings.ts'

/** The options of the engine. The sessions themselves decide when and how something is folded. */
export interface ClassicOptions extends Omit<PalimpsestOptions, 'policy' | 'handlers' | 'folding'> {
  /** For every session. A session may override them with its own. */
  readonly settings?: ClassicSettings
}

const SAID_OTHERWISE: Readonly<Record<string, string>> = {
  policy: 'settings, or setPolicyHandler of a session',
  handlers: 'setResizeHandlers of a session',
  folding: 'nothing: only resize() of a session folds',
}

/**
 * Opens the store for sessions with two histories and a memo.
 *
 * @example
 * await using classic = await createClassic({ store })
 * const session = await classic.session('chat-42')
 * await session.append({ role: 'user', content: 'Hello' })
 * await session.resize()
 */
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

  /** For everything else: search, memory documents, erasure, import. */
  get palimpsest(): Palimpsest {
    return this.#engine.palimpsest
  }

  /**
   * A session with its current history loaded. A session that does not exist yet is empty. Without an id it
   * gets a new one of 32 hexadecimal digits.
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
