import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChannelHost, IncomingMessage, OutgoingMessage } from '../channel.ts'
import { TerminalChannel, type TerminalOptions } from './terminal.ts'

function screen() {
  let text = ''
  return {
    write: (piece: string) => {
      text += piece
    },
    read: () => text,
  }
}

async function start(options: Partial<TerminalOptions> = {}) {
  const output = screen()
  const received: IncomingMessage[] = []
  const channel = new TerminalChannel({ output, now: () => 0, ...options })
  const host: ChannelHost = {
    receive: async message => {
      received.push(message)
      return { sessionId: 'terminal:local', seq: received.length, duplicate: false, triggers: 'private' }
    },
    edited: async () => {},
    moved: async () => {},
    onError: error => {
      throw error
    },
    onFatal: error => {
      throw error
    },
  }
  await channel.start(host)
  return { channel, output, received }
}

const message = (text: string, isPartial = false): OutgoingMessage => ({
  chat: 'local',
  text,
  replyTo: null,
  key: 'k',
  isPartial,
})

test('lines are messages, whatever they hold; empty ones are none', async () => {
  const input = new PassThrough()
  const ended = Promise.withResolvers<void>()
  const { received } = await start({ input, onEnd: ended.resolve, sender: { id: 'ann', name: 'Ann' } })
  const bytes = Buffer.from('Hello\r\n\n  \n你好，世界 👩‍👩‍👧\nthe last one')
  for (const byte of bytes) input.write(Buffer.of(byte))
  input.end()
  await ended.promise
  expect(received.map(({ content }) => content)).toEqual(['Hello', '你好，世界 👩‍👩‍👧', 'the last one'])
  expect(received[0]).toMatchObject({ chat: 'local', kind: 'private', sender: { id: 'ann', name: 'Ann' } })
  expect(new Set(received.map(({ id }) => id)).size).toBe(3)
})

test('a growing reply is written once', async () => {
  const { channel, output } = await start()
  const { id } = await channel.send(message('The ti', true))
  await channel.edit({ ...message('The tide turns\n', true), id })
  await channel.edit({ ...message('The tide turns\n\nat noon.', true), id })
  await channel.edit({ ...message('The tide turns\n\nat noon.'), id })
  expect(output.read()).toBe('The tide turns\n\nat noon.\n')
})

test('one that becomes another begins anew on a line of its own, and so does the next', async () => {
  const { channel, output } = await start()
  const { id } = await channel.send(message('The tide', true))
  await channel.edit({ ...message('No tide.', true), id })
  await channel.send(message('Next.'))
  await channel.edit({ ...message('No tide today.'), id })
  expect(output.read()).toBe('The tide\nNo tide.\nNext.\nNo tide today.\n')
})

test('what is shown already is not shown again', async () => {
  const { channel, output } = await start()
  const { id } = await channel.send(message('The tide turns.'))
  await channel.edit({ ...message('The tide turns.\n'), id })
  const next = await channel.send(message('At no', true))
  channel.endLine()
  await channel.edit({ ...message('The tide turns.'), id })
  await channel.edit({ ...message('At no', true), id: next.id })
  await channel.edit({ ...message('At noon.'), id: next.id })
  expect(output.read()).toBe('The tide turns.\nAt no\nAt noon.\n')
})

test('what came from a keyboard is answered there', async () => {
  const { channel } = await start({ name: 'telegram' })
  expect(channel).toMatchObject({ name: 'telegram', via: 'terminal' })
})

test('however it grows, all of it is there, and no control character', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1 }),
      async pieces => {
        const { channel, output } = await start()
        let text = pieces[0]!
        const { id } = await channel.send(message(text, true))
        for (const piece of pieces.slice(1)) {
          text += piece
          await channel.edit({ ...message(text, true), id })
        }
        await channel.edit({ ...message(text), id })
        expect(output.read()).toMatch(/^[\P{Cc}\n\t]*$/u)
        const whole = text.replace(/[^\P{Cc}\n\t]/gu, '').trim()
        expect(output.read()).toBe(whole === '' ? '' : `${whole}\n`)
      },
    ),
  )
})

test('in a group everything is meant for the bot', async () => {
  const { channel, received } = await start({ kind: 'group', place: { chat: '7', thread: '2' } })
  await channel.say('Hi')
  expect(received[0]).toMatchObject({ kind: 'group', chat: '7', thread: '2', mentionsBot: true })
})

test('nothing is said to a channel that does not run', async () => {
  const { channel } = await start()
  await channel.stop()
  await expect(channel.say('Hi')).rejects.toThrow('stopped')
})
