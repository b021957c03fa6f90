import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ChildOptions, Done, ToChild, ToParent } from './group-protocol.ts'

/** What the parent asks for; the number that it is answered under is given here. */
export type Command = ToChild extends infer Message
  ? Message extends { readonly call: number }
    ? Omit<Message, 'call'>
    : never
  : never

type Heard = Exclude<ToParent, { type: 'ready' | 'done' }>

/** One life of the bot. */
export class GroupProcess {
  /** The process has ended and all that it said was heard. */
  readonly ended: Promise<void>
  isAlive = true
  readonly #child: ChildProcess
  readonly #ready = Promise.withResolvers<boolean>()
  readonly #calls = new Map<number, (done: Done | null) => void>()
  readonly #onHeard: (heard: Heard) => void
  #last = 0
  #isMeantToEnd = false

  constructor(options: ChildOptions, onHeard: (heard: Heard) => void) {
    this.#onHeard = onHeard
    this.#child = fork(
      fileURLToPath(new URL('./group-child.ts', import.meta.url)),
      [JSON.stringify(options)],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        execArgv: [],
      },
    )
    this.#child.on('message', (message: ToParent) => this.#hear(message))
    this.#child.on('error', () => {})
    this.ended = this.#end()
  }

  /** `false`: it died before. */
  get ready(): Promise<boolean> {
    return this.#ready.promise
  }

  /** `null`: it died before it was done. */
  async do(command: Command): Promise<Done | null> {
    if (!this.isAlive) return null
    const call = ++this.#last
    const done = await new Promise<Done | null>(resolve => {
      this.#calls.set(call, resolve)
      this.#send({ ...command, call } as ToChild)
    })
    if (done?.error !== undefined) throw new Error(`${command.type}: ${done.error}`)
    return done
  }

  answer(message: ToChild & { type: 'returned' }): void {
    this.#send(message)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async close(): Promise<void> {
    await this.do({ type: 'close' })
    this.#isMeantToEnd = true
    this.#child.disconnect()
    await this.ended
  }

  #send(message: ToChild): void {
    // Whoever is dead hears nothing: what is not answered is found out about when it has ended.
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #hear(message: ToParent): void {
    if (message.type === 'ready') this.#ready.resolve(true)
    else if (message.type === 'done') {
      this.#calls.get(message.call)?.(message)
      this.#calls.delete(message.call)
    } else this.#onHeard(message)
  }

  async #end(): Promise<void> {
    const [[code, signal]] = await Promise.all([
      once(this.#child, 'exit') as Promise<[number | null, string | null]>,
      once(this.#child, 'disconnect'),
    ])
    this.isAlive = false
    this.#ready.resolve(false)
    for (const resolve of this.#calls.values()) resolve(null)
    this.#calls.clear()
    if (signal !== 'SIGKILL' && !this.#isMeantToEnd) throw new Error(`The bot ended by itself with ${code}`)
  }
}
