import type { Store } from '../../packages/palimpsest/src/index.ts'
import { randomNumbers } from '../scenarios/small-talk.ts'
import type { ChatMessage } from './group-chat.ts'
import { checkGroup } from './group-oracle.ts'
import { GroupPlatform } from './group-platform.ts'
import { GroupProcess } from './group-process.ts'
import { BUDGET, CHAT, type Done, type PlatformRequest, SESSION, type ToParent } from './group-protocol.ts'

export interface SimulationOptions {
  readonly messages: readonly ChatMessage[]
  readonly kills: number
  readonly seed: number
  /** As `test/stores.ts` gives it. */
  readonly place: { readonly address: string; open(): Promise<Store> }
  readonly postgresUrl?: string
  readonly onProgress?: (figures: Pick<Figures, 'messages' | 'kills' | 'seconds'>) => void
}

export interface Figures {
  /** Each of them once in the log. */
  readonly messages: number
  /** What the platform delivered again. */
  readonly repeats: number
  readonly reorderings: number
  readonly kills: number
  readonly replies: number
  /** Messages that were answered, by themselves or with others. */
  readonly answered: number
  /** Attempts that had said something when they failed. */
  readonly interrupted: number
  readonly platformCalls: number
  readonly refusals: number
  readonly contexts: number
  readonly maxContextTokens: number
  readonly budget: number
  readonly folds: number
  readonly days: number
  readonly seconds: number
}

/** A group and its platform, around a bot that is killed again and again. Throws where a promise is not kept. */
export async function simulateGroup(options: SimulationOptions): Promise<Figures> {
  return new Simulation(options).run()
}

/** What the platform knows of a message that it has delivered. */
export interface Delivered {
  readonly message: ChatMessage
  /** Where it is in the log; `null`: nobody has said so yet. */
  seq: number | null
  isAcknowledged: boolean
  /** Since when the bot knows it. */
  moment: Moment | null
  /** It is to be answered. */
  isOwed: boolean
}

/** In which of the bot's lives, and after how many calms of it: what a calm lies between did not overlap. */
export interface Moment {
  readonly life: number
  readonly calms: number
}

/**
 * At which moment the bot dies. `step`: at one of its database's, as a mention comes in; `whole`: as a reply that is in
 * the log reaches the platform.
 */
const DEATHS = [
  ...(['now', 'acknowledged', 'asked', 'step'] as const),
  ...(['before-partial', 'after-partial', 'before-whole', 'after-whole'] as const),
]
type Death = (typeof DEATHS)[number]

class Simulation {
  readonly #options: SimulationOptions
  readonly #random: () => number
  readonly #platform: GroupPlatform
  /** By their ids, in the order in which they were accepted. */
  readonly #delivered = new Map<string, Delivered>()
  /** When the bot began the latest attempt to answer these messages, by their places in the log. */
  readonly #begun = new Map<string, Moment>()
  readonly #problems: string[] = []
  readonly #started = performance.now()
  #bot: GroupProcess
  #now: number
  #death: Death | null = null
  #counts = { repeats: 0, reorderings: 0, kills: 0, contexts: 0, maxContextTokens: 0 }

  constructor(options: SimulationOptions) {
    this.#options = options
    this.#random = randomNumbers(options.seed + 1)
    this.#platform = new GroupPlatform(randomNumbers(options.seed + 2))
    this.#now = options.messages[0]!.arrivesAt
    this.#bot = this.#startBot(0)
  }

  async run(): Promise<Figures> {
    const order = this.#reorder()
    const deaths = this.#deathsAmong(order.length)
    try {
      await this.#bot.ready
      for (const [index, message] of order.entries()) {
        await this.#moveTo(message.arrivesAt)
        if (message.mentionsBot) this.#dieInStore()
        this.#deliver(message)
        if (this.#below(20) === 0) this.#deliverRecent(order, index)
        if (deaths.has(index)) this.#arrangeDeath()
        if (index % 1_000 === 999) this.#tellProgress(index + 1)
      }
      await this.#end()
    } finally {
      this.#bot.kill()
    }
    const checked = await checkGroup({
      store: await this.#options.place.open(),
      delivered: [...this.#delivered.values()],
      all: this.#options.messages,
      begun: this.#begun,
      shown: [...this.#platform.shown.values()],
      problems: this.#problems,
    })
    const { repeats, reorderings, kills, contexts } = this.#counts
    return {
      ...{ messages: this.#delivered.size, repeats, reorderings, kills, ...checked },
      ...{ platformCalls: this.#platform.calls, refusals: this.#platform.refusals, contexts },
      ...{
        maxContextTokens: Math.max(this.#counts.maxContextTokens, checked.maxContextTokens),
        budget: BUDGET,
      },
      days: Math.round((this.#now - this.#options.messages[0]!.arrivesAt) / 86_400_000),
      seconds: this.#seconds(),
    }
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#started) / 100) / 10
  }

  #tellProgress(messages: number): void {
    this.#options.onProgress?.({ messages, kills: this.#counts.kills, seconds: this.#seconds() })
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  /** Neighbours change places, and now and then a message comes long after it was written. */
  #reorder(): readonly ChatMessage[] {
    const order = [...this.#options.messages]
    for (let index = 0; index < order.length - 1; index++) {
      const luck = this.#random()
      if (luck >= 0.05) continue
      const by = luck < 0.01 ? 1 + this.#below(20) : 1
      const other = Math.min(order.length - 1, index + by)
      const [early, late] = [order[index]!, order[other]!]
      order[index] = { ...late, arrivesAt: early.arrivesAt }
      order[other] = { ...early, arrivesAt: late.arrivesAt }
      this.#counts.reorderings += 1
    }
    return order
  }

  #deathsAmong(messages: number): ReadonlySet<number> {
    const deaths = new Set<number>()
    while (deaths.size < Math.min(this.#options.kills, messages / 4)) deaths.add(this.#below(messages))
    return deaths
  }

  #startBot(dieAt: number): GroupProcess {
    const { seed, place, postgresUrl = '' } = this.#options
    const options = { address: place.address, postgresUrl, seed, now: this.#now, dieAt }
    const bot: GroupProcess = new GroupProcess(options, heard => this.#hear(heard, bot))
    return bot
  }

  /** Time passes: in calm, or while the bot is still at work. */
  async #moveTo(instant: number): Promise<void> {
    const ms = Math.floor(instant - this.#now)
    if (ms > 0) {
      this.#now += ms
      await this.#bot.do({ type: 'pass', ms, isCalm: ms > MAX_HASTE_MS || this.#below(2) === 0 })
    }
    if (!this.#bot.isAlive) await this.#restart()
  }

  #deliver(message: ChatMessage): void {
    const { id, sender, text, at, mentionsBot } = message
    const known = this.#delivered.get(id)
    const delivered = known ?? { message, ...UNKNOWN, isOwed: mentionsBot }
    this.#delivered.set(id, delivered)
    if (known) this.#counts.repeats += 1
    const incoming = { chat: CHAT, kind: 'group', id, sender, content: text, at, mentionsBot } as const
    this.#bot.do({ type: 'receive', message: incoming }).then(
      done => done && this.#acknowledge(delivered, done, known !== undefined),
      error => this.#problems.push(`${id}: ${String(error)}`),
    )
  }

  #acknowledge(delivered: Delivered, { received, calms }: Done, wasKnown: boolean): void {
    const { id, mentionsBot } = delivered.message
    const { seq, duplicate, triggers } = received!
    if (duplicate !== wasKnown)
      this.#problems.push(`${id}: duplicate is ${duplicate}, known before: ${wasKnown}`)
    if (delivered.seq !== null && delivered.seq !== seq)
      this.#problems.push(`${id}: ${delivered.seq} is ${seq}`)
    if (!duplicate && mentionsBot && triggers !== 'mention')
      this.#problems.push(`${id}: triggers ${triggers}`)
    delivered.seq = seq
    delivered.isAcknowledged = true
    delivered.moment ??= { life: this.#counts.kills, calms }
    if (triggers !== null) delivered.isOwed = true
    this.#dieAt('acknowledged')
  }

  /** Also what is on its way. */
  #deliverRecent(order: readonly ChatMessage[], index: number): void {
    this.#deliver(order[Math.max(0, index - this.#below(40))]!)
  }

  #hear(heard: Exclude<ToParent, { type: 'ready' | 'done' }>, bot: GroupProcess): void {
    switch (heard.type) {
      case 'problem':
        this.#problems.push(heard.text)
        break
      case 'asked':
        this.#begun.set(heard.seqs.join(' '), { life: this.#counts.kills, calms: heard.calms })
        this.#dieAt('asked')
        break
      case 'context':
        this.#counts.contexts += 1
        this.#counts.maxContextTokens = Math.max(this.#counts.maxContextTokens, heard.tokens)
        break
      case 'platform':
        this.#take(heard.call, heard.request, bot)
    }
  }

  #take(call: number, request: PlatformRequest, bot: GroupProcess): void {
    const part = request.method === 'typing' ? null : request.message.isPartial ? 'partial' : 'whole'
    if (part && this.#dieAt(`before-${part}`)) return
    const answer = this.#platform.take(request)
    if (part && this.#dieAt(`after-${part}`)) return
    bot.answer({ type: 'returned', call, answer })
  }

  #arrangeDeath(): void {
    // One that was arranged and has not come.
    if (this.#death !== null) this.#bot.kill()
    this.#death = DEATHS[this.#below(DEATHS.length)]!
    this.#dieAt('now')
  }

  /** While a message that is to be answered is stored, or what was there to be done beside it. */
  #dieInStore(): void {
    if (this.#death !== 'step') return
    this.#death = null
    void this.#bot.do({ type: 'die-after', steps: 1 + this.#below(60) })
  }

  /** `true`: it dies. */
  #dieAt(moment: Death): boolean {
    if (this.#death !== moment) return false
    this.#death = null
    this.#bot.kill()
    return true
  }

  /** The platform delivers again what was not acknowledged. A new bot may die while it takes up what was left. */
  async #restart(): Promise<void> {
    do {
      await this.#bot.ended
      this.#death = null
      await this.#lookIntoLog()
      this.#counts.kills += 1
      this.#now += this.#below(2) * this.#below(60_000)
      this.#bot = this.#startBot(this.#below(4) === 0 ? 1 + this.#below(120) : 0)
    } while (!(await this.#bot.ready))
    const lost = [...this.#delivered.values()].filter(({ isAcknowledged }) => !isAcknowledged)
    for (const delivered of lost) if (delivered.seq === null) this.#delivered.delete(delivered.message.id)
    for (const { message } of lost) this.#deliver(message)
  }

  /** What was on its way when the bot died: is it in the log, and does it wait? */
  async #lookIntoLog(): Promise<void> {
    const store = await this.#options.place.open()
    const lost = [...this.#delivered.values()].filter(({ isAcknowledged }) => !isAcknowledged)
    try {
      const recent = await store.log.readMessages(KEY, { limit: 2_000, from: 'newest' })
      const waiting = await store.inbox.readWaiting(KEY.namespace, { limit: 10_000 })
      const seqs = new Map(recent.map(({ externalId, seq }) => [externalId, seq]))
      const owed = new Set(waiting.map(({ seq }) => seq))
      for (const delivered of lost) {
        delivered.seq = seqs.get(delivered.message.id) ?? null
        if (delivered.seq === null) continue
        delivered.moment ??= { life: this.#counts.kills, calms: 0 }
        delivered.isOwed ||= owed.has(delivered.seq)
      }
    } finally {
      await store.close()
    }
  }

  async #end(): Promise<void> {
    if (this.#death !== null) this.#bot.kill()
    while ((await this.#bot.do({ type: 'drain' })) === null) await this.#restart()
    const lost = [...this.#delivered.values()].filter(({ isAcknowledged }) => !isAcknowledged)
    this.#problems.push(...lost.map(({ message }) => `${message.id} was never acknowledged`))
    await this.#bot.close()
  }
}

const UNKNOWN = { seq: null, isAcknowledged: false, moment: null }
const KEY = { namespace: 'default', id: SESSION }
/** What the bot can be at work for while the clock runs: far below the time that a reply may take. */
const MAX_HASTE_MS = 4_000
