import type { Runtime } from '@palimpsest/bot'
import type { TerminalChannel } from '@palimpsest/bot/internals/channels/terminal'
import { PalimpsestError } from 'palimpsest/internals/errors'
import type { ChatView } from './chat-view.ts'
import { type CommandContext, findCommand, helpText, unknownText } from './commands/index.ts'
import { modelProblem } from './model-problem.ts'
import { readTypedLine } from './typed-line.ts'

interface ChatParts {
  readonly runtime: Runtime
  readonly channel: TerminalChannel
  readonly view: ChatView
  readonly context: Omit<CommandContext, 'signal' | 'onProgress'>
  /** Is told the error of every line that was not carried out. */
  readonly onFailure: (error: unknown) => unknown
}

/** Carries out what the person types, line by line in the order in which it came. */
export class Chat {
  readonly #parts: ChatParts
  #command: AbortController | null = null

  constructor(parts: ChatParts) {
    this.#parts = parts
  }

  get #sessionId(): string {
    return this.#parts.context.session.id
  }

  /** `false`: the line ends the chat. A message is in the log when this resolves; its reply comes later. */
  async take(line: string): Promise<boolean> {
    const { channel, view, onFailure } = this.#parts
    const typed = readTypedLine(line)
    if (typed.kind === 'command' && (typed.name === 'exit' || typed.name === 'quit')) return false
    try {
      if (typed.kind === 'message') await channel.say(typed.text)
      if (typed.kind === 'command') await this.#run(typed.name, typed.rest)
    } catch (error) {
      onFailure(error)
      view.problem(PalimpsestError.isInstance(error) ? error.message : modelProblem(error))
    }
    return true
  }

  /** Resolves when everything that was said is answered. */
  async quiet(): Promise<void> {
    await this.#parts.runtime.quiet(this.#sessionId)
  }

  /** Ctrl-C ends the command or the reply that is under way. `false`: nothing was under way. */
  stop(): boolean {
    if (this.#command === null) return this.#parts.runtime.stopReply(this.#sessionId)
    this.#command.abort(new DOMException('You stopped it.', 'AbortError'))
    return true
  }

  /** Waits until no reply is under way: a command reads and changes what was said. */
  async #run(name: string, rest: string): Promise<void> {
    const { view, context } = this.#parts
    await this.quiet()
    if (name === 'help') return view.commandEnded(name, { text: helpText(), json: { help: helpText() } })
    const command = findCommand(name)
    if (command === null) throw new PalimpsestError('invalid_argument', unknownText(name), { command: name })
    this.#command = new AbortController()
    try {
      const { signal } = this.#command
      const result = await command.run(rest, { ...context, signal, onProgress: text => view.progress(text) })
      view.commandEnded(name, result)
    } finally {
      this.#command = null
    }
  }
}
