import { InvalidArgumentError } from '../errors.ts'
import { checkOptions, optionsOf } from '../known-options.ts'
import { ID_RULE, isId } from '../log/index.ts'
import { type DocumentRecord, dailyKey, LAYERS, type LayerName, parseDailyKey } from '../store/index.ts'
import { dayInZone, formatDay } from '../summarizer/calendar-day.ts'
import type { MemoryEngine } from './engine.ts'
import { MemoryDocument } from './memory-document.ts'

interface DocumentsPage {
  readonly layer?: LayerName
  readonly after?: { readonly layer: LayerName; readonly key: string }
  readonly limit?: number
}

const LIST = optionsOf<DocumentsPage>({ layer: true, after: true, limit: true })

/**
 * All memory documents of an instance, by layer.
 * @example await palimpsest.memory.user('ann').append('- Allergic to nuts')
 */
export class Memories {
  readonly #engine: MemoryEngine

  constructor(engine: MemoryEngine) {
    this.#engine = engine
  }

  /** Describes who the bot is. */
  get persona(): MemoryDocument {
    return this.document('persona', '')
  }

  /** Holds what is true for all people that the bot talks with. */
  get global(): MemoryDocument {
    return this.document('global', '')
  }

  /** Holds what is known of a person. Only that person's private sessions show it. */
  user(id: string): MemoryDocument {
    return this.document('user', id)
  }

  /** Holds what the sessions of a workspace or project share. */
  scope(id: string): MemoryDocument {
    return this.document('scope', id)
  }

  /** Holds what belongs to one session. The session must exist. */
  chat(sessionId: string): MemoryDocument {
    return this.document('chat', sessionId)
  }

  /** Holds what happened in a session on a day (`YYYY-MM-DD`). Left out: today. */
  daily(sessionId: string, day = this.today()): MemoryDocument {
    return this.document('daily', dailyKey(day, sessionId))
  }

  /** Today, in the time zone of the instance. */
  today(): string {
    return formatDay(dayInZone(new Date(this.#engine.clock()), this.#engine.zone))
  }

  /** A document by its layer and key. */
  document(layer: LayerName, key: string): MemoryDocument {
    return new MemoryDocument(this.#engine, checkDocumentKey(layer, key))
  }

  /** Lists documents without their contents, in order of layer and key. The list begins behind `after`. */
  async list(page: DocumentsPage = {}): Promise<readonly Omit<DocumentRecord, 'content'>[]> {
    checkOptions('memory.list', page, LIST)
    const { layer, after, limit = 100 } = page
    if (layer !== undefined && !LAYERS.includes(layer))
      throw new InvalidArgumentError('layer', layer, LAYERS.join(', '))
    if (!Number.isSafeInteger(limit) || limit < 0)
      throw new InvalidArgumentError('limit', limit, 'a whole number of at least 0')
    const { store, namespace } = this.#engine
    return store.documents.listDocuments(namespace, {
      limit,
      ...(layer && { layer }),
      ...(after && { after }),
    })
  }
}

/**
 * Checks the layer and key of a document. The layers persona and global have one document each, with an empty
 * key.
 */
export function checkDocumentKey(layer: unknown, key: unknown): { layer: LayerName; key: string } {
  if (!LAYERS.includes(layer as LayerName)) throw new InvalidArgumentError('layer', layer, LAYERS.join(', '))
  const name = layer as LayerName
  if (name === 'persona' || name === 'global') {
    if (key === '') return { layer: name, key: '' }
    throw new InvalidArgumentError('key', key, `none: there is one ${name} document`)
  }
  if (name === 'daily') {
    const daily = typeof key === 'string' ? parseDailyKey(key) : null
    if (daily === null || !isDay(daily.day) || !isId(daily.sessionId))
      throw new InvalidArgumentError('key', key, 'a day and a session, as in 2026-02-10/telegram:42')
  } else if (!isId(key)) throw new InvalidArgumentError('key', key, ID_RULE)
  return { layer: name, key: key as string }
}

function isDay(day: string): boolean {
  const instant = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(day)
}
