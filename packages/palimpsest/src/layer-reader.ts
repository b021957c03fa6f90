import { BoundedMap } from './bounded-map.ts'
import { inert, type Layer, type SeqRange, type VolatileBlock } from './context/index.ts'
import { PalimpsestError } from './errors.ts'
import {
  type DecidedLanguage,
  decideLanguage,
  hasEnoughVotes,
  LANGUAGE_SAMPLE,
  type Language,
  type LanguageSetting,
  languageSetting,
} from './language/index.ts'
import { LAYER_BUDGETS } from './memory/budgets.ts'
import type { LayerBudgets, LinesOfLayer } from './memory/layers/index.ts'
import { maySee } from './memory/visibility.ts'
import {
  type ContextRead,
  type ContextStore,
  type FrozenLayers,
  isCondensedLine,
  keyName,
  type LayerName,
  type LayerText,
  type LayerVersion,
  type LoggedMessage,
  type LogStore,
  type SessionKey,
  type SessionRecord,
} from './store/index.ts'
import { dayInZone, formatDay } from './summarizer/calendar-day.ts'

export interface LayersEngine {
  /** A store without these methods has no memory to show. */
  readonly store: {
    readonly log: Pick<LogStore, 'readMessages'>
    readonly context: Partial<Pick<ContextStore, 'freezeLayers' | 'readLayerTexts' | 'readCondensedLines'>>
  }
  /** Left out: the language follows what is said. */
  readonly language?: LanguageSetting
  readonly zone: string
  readonly clock: () => number
  readonly layerBudgets?: LayerBudgets
  readonly onError: (error: unknown, details: { readonly sessionId: string }) => void
}

/** What a context shows of memory. */
export interface ShownMemory {
  /** Everything that may be shown. Room is set aside for all of it. */
  readonly most: ShownLayers
  /**
   * What is shown beside segments that tell of these messages at first hand. Without it, what folds left of
   * them would be told twice.
   */
  readonly beside: (told: readonly SeqRange[]) => ShownLayers
  readonly volatile: readonly VolatileBlock[]
  readonly volatileReserve: number
  /** Finds, in the memory that has no room to be shown, what fits a question. */
  readonly recall: (question: string, room: RecallRoom) => Promise<VolatileBlock | null>
  /** The frozen memory must be made anew before this is shown. */
  readonly isStale: boolean
}

export interface RecallRoom {
  readonly mostTokens: number
  /** What the context says already. */
  readonly shown: readonly string[]
}

export interface ShownLayers {
  readonly layers: readonly Layer[]
  /** Names everything that decides the bytes of the layers. */
  readonly name: string
}

export interface MemoryView {
  /** The tokens that instructions, tools and the reply leave of the context, as we count. */
  readonly roomFor: (session: SessionRecord) => number
  readonly tools: unknown
  /** The language of the epoch. */
  readonly language: Language
  /** A view has another budget or policy than the configured one. It begins no epoch. */
  readonly isView: boolean
}

/** The conversation comes first: this many tokens of a context are never for memory. */
const CONVERSATION_TOKENS = 600
/** All layers together take at most this share of the rest. */
const MAX_OF_CONTEXT = 1 / 3
/** The part of the context that is kept free for changes: room for a few lines. */
const RESERVE_OF_CONTEXT = 1 / 16
const MAX_RESERVE = 600
const MIN_RESERVE = 80
/**
 * The same for corrected messages, while there are any. It is a share of what the smallest conversation
 * leaves.
 */
const CORRECTIONS_OF_CONTEXT = 1 / 6
const MIN_CONVERSATION_TOKENS = 150
/** Longer than prompt caches usually live. After this, a new prefix costs nothing. */
const CACHE_DEAD_MS = 3_600_000
/**
 * If a conversation runs across midnight without a pause, expired entries may stay for this many days more,
 * unless a fold removes them earlier.
 */
const MAX_DAYS_LATE = 1
/** Memory about people, and what the bot knows. What belongs to one chat is found in its messages. */
const RECALLED_LAYERS: readonly LayerName[] = ['global', 'user', 'scope']
/** This many of the newest condensed lines are read for a call. */
const MAX_CONDENSED_LINES = 1_000
const MAX_TEXTS = 1_000
const MAX_CHARACTERS = 8_000_000
const MAX_RENDERED = 1_000

/**
 * Reads memory documents for contexts and remembers what it read. How they look is decided in
 * `memory/layers`.
 */
export class LayerReader {
  readonly #engine: LayersEngine
  /** A version of a document never changes. */
  readonly #texts = new BoundedMap<string, LayerText>(MAX_TEXTS)
  readonly #rendered = new BoundedMap<string, ShownLayers>(MAX_RENDERED)

  constructor(engine: LayersEngine) {
    this.#engine = engine
  }

  /** Yesterday and today, in the zone of the instance. */
  days(): readonly string[] {
    const today = dayInZone(new Date(this.#engine.clock()), this.#engine.zone)
    return [formatDay(today - 1), formatDay(today)]
  }

  /**
   * Fixes what the epoch shows and in which language. If that is stale, it begins a new epoch. Returns the
   * language in force. `null`: another epoch has begun meanwhile.
   */
  async freeze(
    key: SessionKey,
    read: ContextRead,
    { refresh }: { refresh: boolean },
  ): Promise<Language | null> {
    const { store, onError } = this.#engine
    const { session } = read
    if (session.layers !== null && !refresh) return session.layers.language
    const { language, isOpen } = await this.decide(key, read)
    if (store.context.freezeLayers === undefined) return language
    try {
      const { layers } = await store.context.freezeLayers(key, {
        expectedEpoch: session.epoch,
        days: this.days(),
        language,
        isLanguageOpen: isOpen,
        refresh,
      })
      return layers.language
    } catch (error) {
      if (PalimpsestError.isInstance(error) && error.code === 'epoch_conflict') return null
      // The write failed. The next context tries again.
      if (!isHarmless(error)) onError(error, { sessionId: key.id })
      return language
    }
  }

  /** The language of the next epoch. What is stored of the newest epoch tells only the language before. */
  async decide(
    key: SessionKey,
    { session, messages }: Pick<ContextRead, 'session' | 'messages'>,
  ): Promise<DecidedLanguage> {
    const setting = languageSetting(session.settings['language'], this.#engine.language ?? 'auto')
    if (setting !== 'auto') return decideLanguage({ setting, messages: [], before: null })
    const newest = messages.slice(-LANGUAGE_SAMPLE)
    const isAll = newest.length === LANGUAGE_SAMPLE || hasEnoughVotes(newest) || newest[0]?.seq === 1
    const said = isAll
      ? newest
      : await this.#engine.store.log.readMessages(key, { limit: LANGUAGE_SAMPLE, from: 'newest' })
    return decideLanguage({ setting, messages: said, before: session.language })
  }

  /**
   * Whether the epoch has to end because of its language: nothing told the language when the epoch began, and
   * now it is known to be another one.
   */
  async isOtherLanguage(key: SessionKey, read: ContextRead): Promise<boolean> {
    const { layers } = read.session
    if (layers?.isLanguageOpen !== true) return false
    const { language, isOpen } = await this.decide(key, read)
    return !isOpen && language !== layers.language
  }

  async show(key: SessionKey, read: ContextRead, view: MemoryView): Promise<ShownMemory> {
    const memory = await this.#show(key, read, view)
    const { session } = read
    const { language } = view
    // A raw message shows its corrected text itself.
    const corrected = read.corrected.filter(({ seq }) => seq <= session.state.compactedThrough)
    if (corrected.length === 0) return memory
    const { renderCorrections, withCorrections } = await import('./memory/layers/index.ts')
    const mostTokens = correctionReserveOf(view.roomFor(session))
    const lines = renderCorrections(corrected, { language, mostTokens })
    return {
      ...memory,
      volatile: lines === null ? memory.volatile : withCorrections(memory.volatile, lines),
      volatileReserve: memory.volatileReserve + mostTokens,
    }
  }

  async #show(key: SessionKey, read: ContextRead, view: MemoryView): Promise<ShownMemory> {
    const { session, layers: current } = read
    if (current.length === 0 && !session.layers?.versions.length && !view.tools) return NO_MEMORY
    // Most processes start without any memory to show.
    const { memoryToolsIn, renderLayers, renderRecentChanges, toldLines } = await import(
      './memory/layers/index.ts'
    )
    const { frozen, isErased } = withoutErased(session.layers ?? this.#unfrozen(read, view.language), current)
    const budgets = this.#engine.layerBudgets ?? LAYER_BUDGETS
    const tools = memoryToolsIn(view.tools)
    if (current.length === 0 && frozen.versions.length === 0 && tools.length === 0) return NO_MEMORY
    const texts = await this.#read(key, [...frozen.versions, ...current])
    const at = (versions: readonly LayerVersion[]) =>
      versions.flatMap(version => texts.get(nameOf(version)) ?? [])
    const room = Math.max(0, view.roomFor(session) - CONVERSATION_TOKENS)
    const allowance = Math.floor(room * MAX_OF_CONTEXT)
    const { language } = view
    const shown = at(frozen.versions)
    const decided = [
      keyName(key),
      frozen.versions.map(nameOf),
      language,
      allowance,
      Object.values(budgets),
      tools,
    ]
    const most = this.#render(JSON.stringify(decided), () =>
      renderLayers(shown, { session, language, told: [], budgets, allowance, tools }),
    )
    const beside = (told: readonly SeqRange[]) => {
      const left = shown.map(({ folded }) => [...toldLines(folded, told)])
      if (left.every(lines => lines.length === 0)) return most
      const name = JSON.stringify([...decided, told.map(({ fromSeq, toSeq }) => [fromSeq, toSeq])])
      return this.#render(name, () =>
        renderLayers(shown, { session, language, told, budgets, allowance, tools }),
      )
    }
    const reserve = reserveOf(room)
    const changes = renderRecentChanges(
      { frozen: shown, current: at(current) },
      { session, language, mostTokens: reserve },
    )
    const isChanged = JSON.stringify(frozen.versions.map(nameOf)) !== JSON.stringify(current.map(nameOf))
    return {
      most,
      beside,
      volatile: changes?.text ? [{ name: 'recent_changes', text: changes.text }] : [],
      // If the epoch began without memory, no room was kept free for it. The first memory then begins another
      // epoch.
      volatileReserve: frozen.versions.length > 0 || changes !== null ? reserve : 0,
      recall: (question, recallRoom) =>
        this.#recall(key, at(current).filter(isRecalled(session)), { question, language, ...recallRoom }),
      isStale:
        !view.isView &&
        session.layers !== null &&
        this.#isStale(read, {
          days: frozen.days,
          isChanged,
          isErased,
          isOverflowing: changes !== null && (changes.isClipped || frozen.versions.length === 0),
        }),
    }
  }

  async #recall(
    key: SessionKey,
    texts: readonly LayerText[],
    asked: RecallRoom & { readonly question: string; readonly language: FrozenLayers['language'] },
  ): Promise<VolatileBlock | null> {
    if (texts.length === 0 || asked.mostTokens <= 0 || asked.question.trim() === '') return null
    // Few sessions have more memory than they show.
    const { renderRecalledLines } = await import('./memory/layers/recalled-lines.ts')
    const layers: LinesOfLayer[] = []
    for (const { layer, key: name, content } of texts) {
      const hasCondensed = content.split('\n').some(isCondensedLine)
      const condensed = hasCondensed
        ? await this.#engine.store.context.readCondensedLines?.(key, {
            layer,
            key: name,
            limit: MAX_CONDENSED_LINES,
          })
        : []
      const isWhole = isShownWhole(content, asked.shown)
      if (!isWhole || (condensed ?? []).length > 0)
        layers.push({ layer, content, condensed: condensed ?? [] })
    }
    const text = layers.length === 0 ? null : renderRecalledLines(layers, asked)
    return text === null ? null : { name: 'recalled_memory', text }
  }

  /** What is there now, if nothing is stored of the epoch. */
  #unfrozen({ layers }: ContextRead, language: Language): FrozenLayers {
    return { days: this.days(), language, versions: layers }
  }

  #isStale(
    { messages, session }: ContextRead,
    shown: { days: readonly string[]; isChanged: boolean; isErased: boolean; isOverflowing: boolean },
  ): boolean {
    if (shown.isOverflowing || shown.isErased) return true
    const [yesterday = ''] = this.days()
    const showsDaily = session.layers?.versions.some(({ layer }) => layer === 'daily') === true
    const isDayOver = showsDaily && (shown.days[0] ?? '') < yesterday
    if (!isDayOver && !shown.isChanged) return false
    return (
      isCacheDead(messages, this.#engine.clock()) ||
      daysBetween(shown.days[0] ?? '', yesterday) > MAX_DAYS_LATE
    )
  }

  async #read(key: SessionKey, wanted: readonly LayerVersion[]): Promise<ReadonlyMap<string, LayerText>> {
    const { store } = this.#engine
    const found = new Map<string, LayerText>()
    const missing: LayerVersion[] = []
    for (const version of wanted) {
      const name = JSON.stringify([key.namespace, nameOf(version)])
      const known = this.#texts.get(name)
      if (known) found.set(nameOf(version), known)
      else missing.push(version)
    }
    if (missing.length === 0) return found
    for (const text of (await store.context.readLayerTexts?.(key, missing)) ?? []) {
      this.#texts.set(JSON.stringify([key.namespace, nameOf(text)]), text)
      found.set(nameOf(text), text)
    }
    this.#texts.shrinkTo(MAX_CHARACTERS, ({ content }) => content.length)
    return found
  }

  #render(name: string, render: () => readonly Layer[]): ShownLayers {
    const known = this.#rendered.get(name)
    if (known !== undefined) return known
    const shown = { layers: render(), name }
    this.#rendered.set(name, shown)
    return shown
  }
}

/** Checks once more, with the same rule as when memory is rendered. */
function isRecalled(session: SessionRecord) {
  return (text: LayerText): boolean => RECALLED_LAYERS.includes(text.layer) && maySee(session, text)
}

/** Most documents are shown whole, so nothing of them has to be searched. */
function isShownWhole(content: string, [instructions = '']: readonly string[]): boolean {
  return instructions.includes(inert(content.trim()))
}

function isHarmless(error: unknown): boolean {
  return PalimpsestError.isInstance(error) && ['closed', 'store_read_only'].includes(error.code)
}

const NO_LAYERS: ShownLayers = { layers: [], name: '' }

export const NO_MEMORY: ShownMemory = {
  most: NO_LAYERS,
  beside: () => NO_LAYERS,
  volatile: [],
  volatileReserve: 0,
  recall: async () => null,
  isStale: false,
}

/**
 * If a document was frozen and then erased, its present version is shown, even when the old one is
 * remembered. If it is gone, it is not shown at all. An epoch has to begin with that, but a view has to
 * respect it too.
 */
function withoutErased(
  frozen: FrozenLayers,
  current: readonly LayerVersion[],
): { frozen: FrozenLayers; isErased: boolean } {
  const byName = new Map(current.map(version => [documentName(version), version]))
  const isThere = (version: LayerVersion) =>
    version.version >= (byName.get(documentName(version))?.since ?? 1) && byName.has(documentName(version))
  if (frozen.versions.every(isThere)) return { frozen, isErased: false }
  const versions = frozen.versions.flatMap(version =>
    isThere(version) ? [version] : (byName.get(documentName(version)) ?? []),
  )
  return { frozen: { ...frozen, versions }, isErased: true }
}

function documentName({ layer, key }: LayerVersion): string {
  return JSON.stringify([layer, key])
}

function reserveOf(room: number): number {
  const reserve = Math.min(MAX_RESERVE, Math.floor(room * RESERVE_OF_CONTEXT))
  return reserve < MIN_RESERVE ? 0 : reserve
}

/**
 * Unlike memory, corrections are shown in small contexts too, because the summary that they correct is in
 * them.
 */
function correctionReserveOf(room: number): number {
  return Math.min(
    MAX_RESERVE,
    Math.max(0, Math.floor((room - MIN_CONVERSATION_TOKENS) * CORRECTIONS_OF_CONTEXT)),
  )
}

function nameOf({ layer, key, version }: LayerVersion): string {
  return JSON.stringify([layer, key, version])
}

/**
 * The provider last read the prefix when it was last called. That was about when the assistant last spoke.
 */
function isCacheDead(messages: readonly LoggedMessage[], now: number): boolean {
  const last = messages.findLast(({ role }) => role !== 'user')
  return last !== undefined && now - last.at.getTime() > CACHE_DEAD_MS
}

function daysBetween(earlier: string, later: string): number {
  return (Date.parse(`${later}T00:00:00Z`) - Date.parse(`${earlier}T00:00:00Z`)) / 86_400_000
}
