import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Chat, Message, Update, User } from 'grammy/types'
import { Chats, type SentEdit, type SentMessage } from './chats.ts'
import { Refusal } from './refusal.ts'
import { UpdateQueue } from './update-queue.ts'

/**
 * Telegram behind a real socket: it speaks the Bot API on 127.0.0.1, refuses what Telegram refuses, in its words, and
 * fails as it is told to. People speak by `say`; what the bot says is in `sent`.
 */
export interface TelegramServer extends AsyncDisposable {
  /** The root of the API, for `apiRoot`. */
  readonly url: string
  readonly token: string
  readonly botUser: User & { readonly username: string }

  /**
   * Somebody says something: Ada in her private chat with the bot, if nobody else is named. Mentions and commands are
   * found, and of the message that it answers the id is enough. Returns it with its id.
   */
  say(said: string | Partial<Message>): Message
  /** Somebody changes what was said. */
  change(message: Message, changes: Partial<Message>): Message
  /** Any other update. Returns its id. */
  update(update: Omit<Update, 'update_id'>): number
  /** A person blocks the bot, or a group throws it out. */
  block(chat: number | string): void
  unblock(chat: number | string): void
  /** A group becomes a supergroup: both say so, and only the new one can be written to. Returns the new chat. */
  upgrade(chat: number, options?: { readonly isTold?: boolean }): Chat
  /** A file that the bot can fetch. */
  addFile(id: string, path: string, data: Uint8Array): void

  /** What the bot said, oldest first, each as it stands now. */
  readonly sent: readonly SentMessage[]
  /** All changes of it, in their order. */
  readonly edits: readonly SentEdit[]
  /** The chats in which it was shown to be writing. */
  readonly typing: readonly string[]
  /** Every request, in the order of their arrival. */
  readonly calls: readonly TelegramServerCall[]
  /** Updates that were not confirmed yet. */
  readonly pending: readonly Update[]
  /** The id of the last update that was confirmed; 0: none. */
  readonly confirmedThrough: number
  /** A poll waits for an update now. */
  readonly isPolled: boolean

  waitForSent(count: number): Promise<readonly SentMessage[]>
  /** Resolves as soon as it holds, by what requests have changed. Rejects when the server is closed before that. */
  until(holds: () => boolean): Promise<void>

  /** The next call of a method is refused with 429. The default: of `sendMessage`, as for those below. */
  floodNext(retryAfterSec: number, method?: string): void
  /** The next call of a method is refused with this status. */
  failNext(status: number, options?: { readonly method?: string; readonly description?: string }): void
  /** The connection of the next call of a method is cut before an answer; `after`: when it has been done. */
  dropNext(method?: string, when?: 'before' | 'after'): void
  /** The next call of a method is never answered. */
  hangNext(method?: string): void
  /** Ends the poll that waits, as if its time were over. */
  endPoll(): void
  /** Cuts all connections, as a broken network does. */
  dropConnections(): void

  /** Also ends what hangs. */
  close(): Promise<void>
}

interface TelegramServerCall {
  readonly method: string
  readonly payload: Readonly<Record<string, unknown>>
}

interface Fault {
  readonly method: string
  readonly act: Refusal | 'drop' | 'drop-after' | 'hang'
}

const TOKEN = '4242:loopback-token-of-the-telegram-server'
const BOT = {
  id: 4_242,
  is_bot: true,
  first_name: 'Palimpsest',
  username: 'PalimpsestBot',
  can_join_groups: true,
  can_read_all_group_messages: true,
  supports_inline_queries: false,
}

/** Listens on a free port. */
export async function startTelegramServer(): Promise<TelegramServer> {
  const calls: TelegramServerCall[] = []
  const faults: Fault[] = []
  const waiting = new Set<{ holds: () => boolean; resolve: () => void; reject: (error: Error) => void }>()
  const changed = () => {
    for (const waiter of waiting) if (waiter.holds()) waiter.resolve()
  }
  const queue = new UpdateQueue(changed)
  const chats = new Chats(BOT)
  const files = new Map<string, { readonly path: string; readonly data: Uint8Array }>()

  const methods: Readonly<Record<string, (payload: never, gone: AbortSignal) => unknown>> = {
    getMe: () => BOT,
    deleteWebhook: () => true,
    getUpdates: (payload, gone) => queue.poll(payload, gone),
    sendMessage: payload => chats.send(payload),
    editMessageText: payload => chats.edit(payload),
    sendChatAction: payload => chats.showTyping(payload),
    getFile: ({ file_id }: { file_id: string }) => {
      const file = files.get(file_id)
      if (!file) throw new Refusal(400, 'Bad Request: invalid file_id')
      return { file_id, file_unique_id: file_id, file_path: file.path, file_size: file.data.length }
    },
  }

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const gone = new AbortController()
    outgoing.on('close', () => gone.abort())
    const reply = (status: number, body: object) =>
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (incoming.url?.startsWith(`/file/bot${TOKEN}/`)) {
      const path = incoming.url.slice(`/file/bot${TOKEN}/`.length)
      calls.push({ method: 'file', payload: { path } })
      const file = [...files.values()].find(each => each.path === path)
      outgoing.writeHead(file ? 200 : 404).end(file?.data)
      return
    }
    const payload = await payloadOf(incoming)
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(incoming.url ?? '') ?? []
    try {
      if (token !== TOKEN) throw new Refusal(401, 'Unauthorized')
      calls.push({ method, payload })
      changed()
      const fault = takeFault(faults, method)
      if (fault instanceof Refusal) throw fault
      if (fault === 'hang') return
      if (fault === 'drop') outgoing.destroy()
      if (fault === 'drop') return
      const act = methods[method]
      if (!act) throw new Refusal(404, 'Not Found: method not found')
      const result = await act(payload as never, gone.signal)
      if (fault === 'drop-after') outgoing.destroy()
      else reply(200, { ok: true, result })
    } catch (error) {
      const refusal =
        error instanceof Refusal ? error : new Refusal(500, `Internal Server Error: ${String(error)}`)
      reply(refusal.status, refusal.toBody())
    }
    changed()
  }

  const server = createServer((incoming, outgoing) => {
    // A client that gives up is no event here.
    outgoing.on('error', () => {})
    answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  const until = (holds: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const waiter = {
        holds,
        resolve: () => {
          waiting.delete(waiter)
          resolve()
        },
        reject,
      }
      waiting.add(waiter)
      changed()
    })
  const close = () =>
    new Promise<void>(resolve => {
      queue.endPoll()
      for (const { reject } of waiting) reject(new Error('The Telegram server was closed before that.'))
      waiting.clear()
      server.close(() => resolve())
      server.closeAllConnections()
    })

  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    botUser: BOT,
    say: said => {
      const message = chats.say(typeof said === 'string' ? { text: said } : said)
      queue.add({ message: message as NonNullable<Update['message']> })
      return message
    },
    change: (message, changes) => {
      const changedMessage = chats.change(message, changes)
      queue.add({ edited_message: changedMessage as NonNullable<Update['edited_message']> })
      return changedMessage
    },
    update: update => queue.add(update),
    block: chat => chats.block(chat),
    unblock: chat => chats.unblock(chat),
    upgrade: (chat, { isTold = true } = {}) => {
      const { left, came, supergroup } = chats.upgrade(chat)
      if (isTold)
        for (const message of [left, came]) queue.add({ message: message as NonNullable<Update['message']> })
      return supergroup
    },
    addFile: (id, path, data) => files.set(id, { path, data }),
    sent: chats.sent,
    edits: chats.edits,
    typing: chats.typing,
    calls,
    get pending() {
      return queue.pending
    },
    get confirmedThrough() {
      return queue.confirmedThrough
    },
    get isPolled() {
      return queue.isPolled
    },
    waitForSent: async count => {
      await until(() => chats.sent.length >= count)
      return chats.sent
    },
    until,
    floodNext: (retryAfterSec, method = 'sendMessage') => {
      const description = `Too Many Requests: retry after ${retryAfterSec}`
      faults.push({ method, act: new Refusal(429, description, { retry_after: retryAfterSec }) })
    },
    failNext: (status, { method = 'sendMessage', description = `Error ${status}` } = {}) => {
      faults.push({ method, act: new Refusal(status, description) })
    },
    dropNext: (method = 'sendMessage', when = 'before') => {
      faults.push({ method, act: when === 'before' ? 'drop' : 'drop-after' })
    },
    hangNext: (method = 'sendMessage') => {
      faults.push({ method, act: 'hang' })
    },
    endPoll: () => queue.endPoll(),
    dropConnections: () => server.closeAllConnections(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function takeFault(faults: Fault[], method: string): Fault['act'] | null {
  const index = faults.findIndex(fault => fault.method === method)
  return index < 0 ? null : faults.splice(index, 1)[0]!.act
}

async function payloadOf(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString())
}
