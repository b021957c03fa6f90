import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Channel, ChannelHost, OutgoingMessage } from '@palimpsest/bot'

const { PORT = '8080', REPLIES_URL = 'http://127.0.0.1:8081/replies' } = process.env

/** Messages come by POST as `{ chat, id, from, text }`; what the bot says is posted to an address of yours. */
class Webhook implements Channel {
  readonly name = 'webhook'
  readonly #server = createServer()

  async start(host: ChannelHost) {
    this.#server.on('request', async (request, response) => {
      try {
        const { chat, id, from, text } = (await json(request)) as Record<string, string>
        const said = { chat: chat!, id: id!, sender: { id: from! }, content: text!, at: new Date() }
        // Stored when this resolves: only now may the other side forget it. The same id again changes nothing.
        await host.receive({ kind: 'private', ...said })
        response.writeHead(202).end()
      } catch (error) {
        response.writeHead(500).end(String(error))
      }
    })
    await new Promise<void>((listening, failed) => {
      this.#server.once('error', failed).listen(Number(PORT), '127.0.0.1', listening)
    })
  }

  async stop() {
    this.#server.close()
  }

  async send({ chat, text, key }: OutgoingMessage) {
    // The key lets the other side recognise what it was sent before.
    const response = await fetch(REPLIES_URL, { method: 'POST', body: JSON.stringify({ chat, text, key }) })
    if (!response.ok) throw new Error(`It was answered with ${response.status}.`) // and is tried again
    return { id: key }
  }
}

export default { db: 'webhook.db', channels: [new Webhook()], inbox: { quietMs: 300 } }
