import {
  ClosedError,
  describeError,
  InvalidArgumentError,
  MessageConflictError,
  MessageNotFoundError,
} from 'palimpsest/internals/errors'
import { type MessageInput, parseMessageInstant } from 'palimpsest/internals/log/index'
import type { Palimpsest, SessionOptions } from 'palimpsest/internals/palimpsest'
import type { AppendOptions, Session } from 'palimpsest/internals/session'
import type { WaitingEntry } from 'palimpsest/internals/store/index'
import { addressOf, isReachedBy, owedIn, toAddress } from './address.ts'
import { attend, isAmong } from './attention.ts'
import { Belonging, type OpenedSession } from './belonging.ts'
import { within } from './bounded.ts'
import type { Channel, IncomingMessage, IncomingSender, Place, Received, Trigger } from './channel.ts'
import { checkIncoming } from './check-incoming.ts'
import { checkRuntimeOptions, type RuntimeRules, rulesOf } from './check-options.ts'
import { beginAnew, commandKey } from './commands.ts'
import { Conversation, type ConversationHost } from './conversation.ts'
import { findPlace, type KnownPlace, toExternalId } from './moved-chats.ts'
import type { RuntimeOptions } from './options.ts'
import { withPersons, withReplied, withStoredAnswered } from './replied.ts'
import { sessionIdOf } from './session-id.ts'
import { Slots } from './slots.ts'
import { type Bounded, mayStill, takeOne } from './speaking-up.ts'
import { SYSTEM_TIMERS, type Timers } from './timers.ts'

/**
 * Connects chat platforms and a responder. Nothing happens before `start()`.
 *
 * @example
 * const channels = [telegram({ token })]
 * const runtime = createRuntime({ palimpsest, channels, responder: modelResponder({ model }) })
 * await runtime.start()
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  checkRuntimeOptions(options)
  return new Runtime(options)
}

const TAKE_UP_PAGE = 500
/** How long a message waits for `refresh`. A later message brings in what was not ready by then. */
const REFRESH_MS = 5_000
/** How long work may take to end after it was told to stop. */
const ABANDON_MS = 1_000

/** Receives messages, and makes sure that every message that waits for an answer gets one. */
export class Runtime implements AsyncDisposable {
  readonly #options: RuntimeOptions
  readonly #rules: RuntimeRules
  readonly #timers: Timers
  readonly #palimpsest: Palimpsest
  readonly #channels: ReadonlyMap<string, Channel>
  readonly #belonging: Belonging
  readonly #host: ConversationHost
  /** The conversations by the ids of their sessions. Only sessions that owe something are listed. */
  readonly #conversations = new Map<string, Conversation>()
  readonly #quiet = new Set<() => void>()
  /** How many messages of each session wait for the decision whether to speak up. */
  readonly #considering = new Map<string, number>()
  #state: 'new' | 'running' | 'stopped' = 'new'
  /** No answer begins before all channels are started. */
  #isHeld = true
  #starting: Promise<void> | null = null
  #stopping: Promise<void> | null = null

  constructor(options: RuntimeOptions) {
    this.#options = options
    this.#rules = rulesOf(options)
    this.#timers = options.timers ?? SYSTEM_TIMERS
    this.#palimpsest = options.palimpsest
    this.#channels = new Map(options.channels.map(channel => [channel.name, channel]))
    this.#belonging = new Belonging(options.palimpsest, (error, sessionId) => this.#report(error, sessionId))
    const slots = new Slots(this.#rules.turns.concurrency)
    this.#host = {
      ...{ responder: options.responder, timers: this.#timers },
      ...{ bursts: this.#rules.bursts, turns: this.#rules.turns },
      isHeld: () => this.#isHeld,
      enter: () => slots.enter(),
      onReply: report => this.#guarded(() => options.onReply?.(report), report.sessionId),
      onError: (error, { sessionId }) => this.#report(error, sessionId),
      onQuiet: sessionId => this.#noteQuiet(sessionId),
    }
  }

  /** Takes over what an earlier process left, and starts the channels. */
  async start(): Promise<void> {
    if (this.#state === 'stopped') throw new ClosedError('runtime')
    if (this.#starting) throw new InvalidArgumentError('start', 'again', 'one call for each runtime')
    this.#starting = this.#start()
    await this.#starting.catch(error => {
      if (this.#state === 'new') this.#starting = null
      throw error
    })
  }

  async #start(): Promise<void> {
    await this.#takeUp()
    if (this.#state === 'stopped') return
    this.#state = 'running'
    try {
      for (const channel of this.#channels.values()) if (!this.#stopping) await this.#startChannel(channel)
    } catch (error) {
      this.#starting = null
      await this.stop({ drainMs: 0 })
      throw error
    }
    this.#isHeld = false
    for (const conversation of this.#conversations.values()) conversation.schedule()
  }

  async #startChannel(channel: Channel): Promise<void> {
    await channel.start({
      receive: message => this.receive(channel.name, message),
      edited: message => this.edited(channel.name, message),
      moved: (from, to) => this.moved(channel.name, from, to),
      onError: error => this.#report(error, channel.name),
      onFatal: error => this.#fail(error, channel.name),
    })
  }

  sessionId(channel: string, place: Place): string {
    return sessionIdOf(this.#channel(channel).name, place)
  }

  /** Resolves when the message is durable. Its answer comes later, even after a restart. */
  async receive(channelName: string, message: IncomingMessage): Promise<Received> {
    const received = await this.#receive(this.#channel(channelName), message)
    const { sessionId, seq, differs } = received
    if (differs) this.#report(new MessageConflictError({ sessionId, seq, externalId: message.id }), sessionId)
    return received
  }

  async #receive(
    channel: Channel,
    message: IncomingMessage,
    { isEdit = false }: { readonly isEdit?: boolean } = {},
  ): Promise<Received> {
    if (this.#state !== 'running') throw new ClosedError('runtime')
    checkIncoming(message)
    await this.#refresh(channel)
    const place = await findPlace(this.#palimpsest, channel, message)
    const { session, traits, sender, key: whose } = this.#belongingsOf(channel, message, place)
    const conversation = this.#conversation(session, channel, message)
    if (place.isMoved) conversation.moveTo(placeOf(message))
    const attention = attend(message, sender, this.#rules)
    const isBot = message.sender.isBot === true
    const asked = isBot || isEdit ? null : attention.trigger
    const command = asked && commandKey(message, this.#rules.commands)
    const key = command ?? whose
    // A further message of the same person belongs to the open burst. Messages of others are only seen.
    const added = key === '' || isBot || isEdit ? null : conversation.openTrigger(key)
    const trigger = asked ?? added
    if (trigger === null && !attention.isSeen) {
      this.#noteQuiet(session.id)
      return { sessionId: session.id, seq: null, duplicate: false, triggers: null }
    }
    const arrived = trigger && conversation.expect(key, trigger)
    try {
      const awaits = trigger && { burst: key, address: toAddress(channel, message, trigger) }
      const input = await this.#inputOf(channel, message, { sender, place, session })
      const stored = await this.#store({ session, traits }, input, awaits ? { awaits } : {})
      const { seq, duplicate } = stored
      // The new beginning must come before the next message.
      if (command !== null && !duplicate) await beginAnew(session, seq)
      const triggers = duplicate ? null : trigger
      if (triggers) conversation.add({ key, seq, trigger: triggers })
      else if (trigger) await this.#lookAfter(conversation, session, seq)
      else if (!duplicate && !isEdit) {
        const heard = { channel, message, session, sender, key, seq }
        if (!isBot) this.#considerSpeaking(heard)
        else if (attention.trigger && (await this.#answerWithin(heard, 'bots', attention.trigger)))
          return { sessionId: session.id, ...stored, triggers: attention.trigger }
      }
      return { sessionId: session.id, ...stored, triggers }
    } finally {
      arrived?.()
      this.#noteQuiet(session.id)
    }
  }

  /** A failing or slow `refresh` does not hold up a message. */
  async #refresh(channel: Channel): Promise<void> {
    if (this.#options.refresh === undefined) return
    const refreshing = (async () => this.#options.refresh!())()
    await within(REFRESH_MS, refreshing, this.#timers).catch(error => this.#report(error, channel.name))
    if (this.#state !== 'running') throw new ClosedError('runtime')
  }

  /**
   * The message has another text now. It is not answered again. A message that was not known is stored, and
   * not answered.
   */
  async edited(channelName: string, message: IncomingMessage): Promise<void> {
    const channel = this.#channel(channelName)
    const { sessionId, seq, duplicate } = await this.#receive(channel, message, { isEdit: true })
    if (!duplicate || seq === null) return
    const session = this.#palimpsest.session(sessionId)
    const [stored] = await session.messages({ after: seq - 1, before: seq + 1, limit: 1 })
    const content = withPersons(message.content, this.#personsOf(channel, message))
    await session.edit(seq, withStoredAnswered(content, stored?.content)).catch(error => {
      // The message was taken back or erased.
      if (!(error instanceof MessageNotFoundError)) throw error
    })
  }

  /** A chat has another id from now on and goes on as the same session. A repeated call changes nothing. */
  async moved(channelName: string, from: string, to: string): Promise<void> {
    if (this.#state !== 'running') throw new ClosedError('runtime')
    const channel = this.#channel(channelName)
    const { sessionId } = await findPlace(this.#palimpsest, channel, { chat: from })
    await this.#move(channel, this.#palimpsest.session(sessionId), to)
    this.#conversations.get(sessionId)?.moveTo({ chat: to })
  }

  async #move(channel: Channel, session: Session, to: string): Promise<void> {
    const name = sessionIdOf(channel.name, { chat: to })
    if (name === session.id || (await session.addAlias(name))) return
    // The session is empty: it begins with the chat's new id.
    if ((await session.count()) === 0) return
    const problem = `The chat ${session.id} is ${name} now, which is a session of its own already: they stay two.`
    this.#report(new Error(problem), session.id)
  }

  /** A person has read enough: the reply is stored as far as it came. `false`: no reply is under way. */
  stopReply(sessionId: string): boolean {
    return this.#conversations.get(sessionId)?.stopReply() ?? false
  }

  /** Resolves when no answer is under way or waiting, in this session or in all. */
  async quiet(sessionId?: string): Promise<void> {
    while (!this.#isQuiet(sessionId)) await new Promise<void>(resolve => this.#quiet.add(resolve))
  }

  /**
   * Stops receiving and begins no answer. Answers under way have `drainMs` milliseconds (2,500) to end. The
   * next process makes the rest.
   */
  stop({ drainMs = 2_500 }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#stopping ??= this.#stop(drainMs)
    return this.#stopping
  }

  async #stop(drainMs: number): Promise<void> {
    const isRunning = this.#state === 'running'
    this.#state = 'stopped'
    await within(ABANDON_MS, this.#starting?.catch(() => {}) ?? Promise.resolve(), this.#timers)
    const conversations = [...this.#conversations.values()]
    const ended = Promise.all(conversations.map(conversation => conversation.close()))
    const silent = Promise.all(
      [...this.#channels.values()].map(channel => isRunning && this.#stopChannel(channel)),
    )
    if ((await within(drainMs, ended, this.#timers)) === null) {
      for (const conversation of conversations) conversation.abort()
      await within(ABANDON_MS, ended, this.#timers)
    }
    await within(ABANDON_MS, silent, this.#timers)
    this.#wakeWaiting()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #stopChannel(channel: Channel): Promise<void> {
    try {
      await channel.stop()
    } catch (error) {
      this.#report(error, channel.name)
    }
  }

  #channel(name: string): Channel {
    const channel = this.#channels.get(name)
    if (channel) return channel
    throw new InvalidArgumentError('channel', name, [...this.#channels.keys()].join(', '))
  }

  async #inputOf(
    channel: Channel,
    message: IncomingMessage,
    at: { readonly sender: string; readonly place: KnownPlace; readonly session: Session },
  ): Promise<MessageInput> {
    const personOf = this.#personsOf(channel, message)
    const content = withPersons(message.content, personOf)
    const { repliedTo } = message
    const senderId = repliedTo === undefined ? null : personOf(repliedTo.sender.id, repliedTo.sender)
    const copy = repliedTo && { ...repliedTo, content: withPersons(repliedTo.content, personOf) }
    return withReplied(
      toInput({ ...message, content }, at.sender, at.place),
      { ...(copy && { repliedTo: copy }) },
      { session: at.session, senderId },
    )
  }

  /**
   * Maps the platform's ids to people as `belongsTo` knows them. This covers the authors of forwarded and
   * quoted words, too.
   */
  #personsOf(channel: Channel, message: IncomingMessage): (id: string, sender?: IncomingSender) => string {
    const { belongsTo } = this.#options
    const userOf = (asked: IncomingMessage) => belongsTo?.({ ...asked, channel: channel.name }).user
    return (id, sender = { id }) => {
      const own = sessionIdOf(channel.name, { chat: id })
      if (sender.isChat || belongsTo === undefined) return own
      try {
        // Asks as if that person had written in a chat of their own. If `belongsTo` then names the actual
        // sender, it goes by something else, and the platform's id is used.
        const user = userOf({ ...message, kind: 'private', chat: id, sender, content: '' })
        const isOther = id !== message.sender.id && user === userOf(message)
        return isOther ? own : (user ?? own)
      } catch {
        return own
      }
    }
  }

  /** The sender of a message, its session, and the key under which it is answered. */
  #belongingsOf(channel: Channel, message: IncomingMessage, { sessionId }: KnownPlace) {
    const { user, scope } = this.#options.belongsTo?.({ ...message, channel: channel.name }) ?? {}
    const own = sessionIdOf(channel.name, { chat: message.sender.id })
    // A sender that speaks for a chat is no person, even where `belongsTo` names one.
    const sender = message.sender.isChat ? own : (user ?? own)
    const isGroup = message.kind === 'group'
    const traits: SessionOptions = {
      kind: message.kind,
      ...(!isGroup && { user: sender }),
      ...(scope !== undefined && { scope }),
    }
    const session = this.#palimpsest.session(sessionId)
    return { session, traits, sender, key: isGroup && this.#rules.groupsBy === 'sender' ? sender : '' }
  }

  #conversation(session: Session, channel: Channel, at: Place): Conversation {
    const known = this.#conversations.get(session.id)
    if (known) return known
    const onMoved = (to: string) => this.#move(channel, session, to)
    const conversation = new Conversation(this.#host, { session, channel, place: placeOf(at), onMoved })
    this.#conversations.set(session.id, conversation)
    return conversation
  }

  /** A repeated message adds nothing, even if its text differs. */
  async #store(
    place: OpenedSession,
    input: MessageInput,
    options: AppendOptions,
  ): Promise<{ seq: number; duplicate: boolean; differs?: true }> {
    try {
      const { messages } = await this.#belonging.append(place, input, options)
      const { seq, duplicate } = messages[0]!
      return { seq, duplicate }
    } catch (error) {
      if (!(error instanceof MessageConflictError) || error.details.seq === null) throw error
      return { seq: error.details.seq, duplicate: true, differs: true }
    }
  }

  /**
   * An earlier delivery may have stored the message without this process knowing, for example when the
   * connection to the database broke.
   */
  async #lookAfter(conversation: Conversation, session: Session, seq: number): Promise<void> {
    if (conversation.knows(seq)) return
    const entries = (await session.waiting()).filter(entry => entry.seq === seq && !conversation.knows(seq))
    if (entries.length > 0) conversation.takeUp(owedIn(entries, this.#timers.now()))
  }

  /** Decided in the background: the message itself is stored already. */
  #considerSpeaking(heard: Heard): void {
    const { proactive, triggeredBy = 'all' } = this.#rules.groups
    const { message, session, sender } = heard
    if (proactive === undefined || message.kind !== 'group') return
    if (!isAmong(triggeredBy, sender)) return
    this.#consider(session.id, 1)
    const decide = async () => {
      if (!(await mayStill(session, 'proactive', this.#rules.groups.proactivePerHour))) return
      const deciding = (async () => proactive({ ...message, sessionId: session.id }))()
      if (await within(this.#rules.turns.timeoutMs, deciding, this.#timers))
        await this.#answerWithin(heard, 'proactive', 'proactive')
    }
    decide()
      .catch(error => this.#report(error, session.id))
      .finally(() => {
        this.#consider(session.id, -1)
        this.#noteQuiet(session.id)
      })
  }

  #consider(sessionId: string, more: number): void {
    const count = (this.#considering.get(sessionId) ?? 0) + more
    if (count > 0) this.#considering.set(sessionId, count)
    else this.#considering.delete(sessionId)
  }

  /** Answers a stored message, if the limit for this hour allows it. */
  async #answerWithin(heard: Heard, what: Bounded, trigger: Trigger): Promise<boolean> {
    const { channel, message, session, key, seq } = heard
    const { groups, turns } = this.#rules
    const perHour = what === 'bots' ? turns.botsPerHour : groups.proactivePerHour
    if (this.#state !== 'running' || !(await takeOne(session, what, perHour))) return false
    const address = toAddress(channel, message, trigger)
    const conversation = this.#conversation(session, channel, message)
    const arrived = conversation.expect(key, trigger)
    try {
      const isNew = await session.awaitAnswer(seq, { burst: key, address })
      if (isNew) conversation.add({ key, seq, trigger })
      return isNew
    } finally {
      arrived()
    }
  }

  async #takeUp(): Promise<void> {
    const entries: WaitingEntry[] = []
    for (let after = 0; ; after = entries.at(-1)!.id) {
      const page = await this.#palimpsest.waiting({ after, limit: TAKE_UP_PAGE })
      entries.push(...page)
      if (page.length < TAKE_UP_PAGE) break
    }
    const now = this.#timers.now()
    for (const [sessionId, owed] of Map.groupBy(entries, entry => entry.sessionId)) {
      const mine = owed.filter(entry => this.#channelOf(entry) !== null)
      if (mine.length === 0) continue
      const { address, ...left } = owedIn(mine, now)
      const session = this.#palimpsest.session(sessionId)
      this.#conversation(session, this.#channelOf(mine[0]!)!, address).takeUp(left)
    }
  }

  /** `null`: the entry belongs to another program on the same database. */
  #channelOf(entry: WaitingEntry): Channel | null {
    const address = addressOf(entry)
    const channel = this.#channels.get(address.channel)
    return channel && isReachedBy(address, channel) ? channel : null
  }

  #isQuiet(sessionId: string | undefined): boolean {
    if (this.#state === 'stopped') return true
    if (sessionId !== undefined)
      return !this.#conversations.has(sessionId) && !this.#considering.has(sessionId)
    return this.#considering.size === 0 && this.#conversations.size === 0
  }

  #noteQuiet(sessionId: string): void {
    if (this.#conversations.get(sessionId)?.isQuiet) this.#conversations.delete(sessionId)
    this.#wakeWaiting()
  }

  #wakeWaiting(): void {
    for (const resolve of this.#quiet) resolve()
    this.#quiet.clear()
  }

  #report(error: unknown, sessionId: string): void {
    const { onError } = this.#options
    // Work that could not end in time finds everything closed. That is no error.
    if (this.#state === 'stopped' && error instanceof ClosedError) return
    if (onError) this.#guarded(() => onError(error, { sessionId }), sessionId)
    else warn(error, sessionId)
  }

  #fail(error: unknown, channel: string): void {
    const { onFatal } = this.#options
    if (onFatal) this.#guarded(() => onFatal(error, { channel }), channel)
    // Like an 'error' event without a listener: a bot that receives nothing must not seem to run.
    else
      setImmediate(() => {
        throw error
      })
  }

  /** A listener's error breaks nothing. */
  #guarded(listener: () => void, sessionId: string): void {
    try {
      listener()
    } catch (error) {
      warn(error, sessionId)
    }
  }
}

function warn(error: unknown, sessionId: string): void {
  process.emitWarning(`${sessionId}: ${describeError(error)}`, 'PalimpsestWarning')
}

interface Heard {
  readonly channel: Channel
  readonly message: IncomingMessage
  readonly session: Session
  readonly sender: string
  readonly key: string
  readonly seq: number
}

function placeOf({ chat, thread }: Place): Place {
  return { chat, ...(thread !== undefined && { thread }) }
}

function toInput(message: IncomingMessage, senderId: string, { isMoved }: KnownPlace): MessageInput {
  const { sender, content, at, id, replyTo, chat } = message
  return {
    role: 'user',
    content,
    sender: { id: senderId, ...(sender.name !== undefined && { name: sender.name }) },
    // A message matters more than its time: a time that the log cannot hold is replaced by the time of
    // arrival.
    at: parseMessageInstant(at, 'UTC'),
    externalId: toExternalId(id, { chat, isMoved }),
    ...(replyTo !== undefined && { replyTo: toExternalId(replyTo, { chat, isMoved }) }),
  }
}
