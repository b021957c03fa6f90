import { ErasedMeanwhileError } from '../../errors.ts'
import { type Language, type Texts, textsOf } from '../../language/index.ts'
import { MEMORY_TOOL_NAMES, type MemoryToolName } from '../../log/index.ts'
import {
  type DocumentKey,
  type SeenSession,
  type SessionKey,
  type SessionRecord,
  seenOf,
} from '../../store/index.ts'
import { checkSectionName } from '../document/index.ts'
import type { MemoryEngine } from '../engine.ts'
import { askersOf } from './askers.ts'
import { checkArguments, ToolArgumentError, type ToolArguments } from './check-arguments.ts'
import { definitionsIn, type ToolDefinition } from './definitions.ts'
import { isOffered } from './offered.ts'
import { expandHistory, queryHistory } from './read-history.ts'
import { writeNote } from './write-note.ts'

/** `recalled` marks the output, so that it is never summarised, indexed or learned from again. */
export type ToolOutput = Readonly<Record<string, unknown>> & { readonly recalled: true }

export interface OpenAITool {
  readonly type: 'function'
  readonly function: Omit<ToolDefinition, 'parameters'> & {
    readonly parameters: ToolDefinition['parameters']
  }
}

export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: ToolDefinition['parameters']
}

/** The parts of an AI SDK tool that are used here, so that the package itself is not needed. */
export interface SdkTool {
  readonly description: string
  readonly inputSchema: never
  readonly execute: (input: unknown) => Promise<ToolOutput>
}

/**
 * The memory tools of one session. No argument names a session, a person or a document, so a call cannot
 * reach another session's memory.
 */
export class MemoryTools {
  readonly #engine: MemoryEngine
  readonly #session: SessionRecord
  readonly #seen: SeenSession
  readonly #texts: Texts['tools']
  /** The people who get the answer in a group. Tools for any turn look them up at each call. */
  readonly #askers: readonly string[]
  readonly #isForAnyTurn: boolean
  /** The language of the tools' descriptions and results. */
  readonly language: Language
  readonly definitions: readonly ToolDefinition[]

  /**
   * `seen` is what a turn has seen of the session. `null`: the tools are for any turn of this session, as
   * long as it exists. `askers` are the people who get the answer in a group.
   */
  constructor(
    engine: MemoryEngine,
    session: SessionRecord,
    {
      seen = null,
      askers = [],
      language = 'en',
    }: {
      readonly seen?: SeenSession | null
      readonly askers?: readonly string[]
      readonly language?: Language
    } = {},
  ) {
    this.#engine = engine
    this.#session = session
    this.language = language
    this.#texts = textsOf(language).tools
    this.#seen = seen ?? seenOf({ ...session, epoch: Number.MAX_SAFE_INTEGER })
    this.#askers = askers
    this.#isForAnyTurn = seen === null
    this.definitions = MEMORY_TOOL_NAMES.filter(name => isOffered(name, session, engine, askers)).map(
      name => definitionsIn(language)[name],
    )
  }

  /** The tools for chat completions. */
  toOpenAI(): OpenAITool[] {
    return this.definitions.map(definition => ({ type: 'function', function: definition }))
  }

  /** The tools for the Messages API. */
  toAnthropic(): AnthropicTool[] {
    return this.definitions.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    }))
  }

  /** The tools for `generateText` and similar functions. */
  toAISDK(): Record<string, SdkTool> {
    return Object.fromEntries(
      this.definitions.map(({ name, description, parameters }) => [
        name,
        {
          description,
          inputSchema: sdkSchema(parameters),
          execute: input => this.execute(name, input),
        } satisfies SdkTool,
      ]),
    )
  }

  /**
   * Runs a tool call of a model. The model is told of its own mistakes. Only failures of the store are
   * thrown.
   */
  async execute(name: string, args: unknown): Promise<ToolOutput> {
    const askers = this.#isForAnyTurn ? await askersOf(this.#engine, this.#session) : this.#askers
    const offered = this.definitions.filter(({ name }) =>
      isOffered(name, this.#session, this.#engine, askers),
    )
    const definition = offered.find(definition => definition.name === name)
    try {
      if (!definition)
        throw new ToolArgumentError(
          this.#texts.noSuchTool(
            JSON.stringify(name),
            offered.map(({ name }) => name),
          ),
        )
      return (await this.#run(definition.name, checkArguments(definition, args, this.#texts))) as ToolOutput
    } catch (error) {
      if (!(error instanceof ToolArgumentError)) throw error
      return { recalled: true, error: error.message }
    }
  }

  #run(name: MemoryToolName, args: ToolArguments): Promise<object> {
    const { store } = this.#engine
    const reading = { args, texts: this.#texts, language: this.language }
    switch (name) {
      case 'query_history':
        return this.#read(key => queryHistory(this.#engine, key, reading))
      case 'expand_history':
        return this.#read(key => expandHistory(store, key, reading))
      default:
        return this.#write(name, args)
    }
  }

  /**
   * A new session may have the same name. Its messages are not for the people of this session, so the result
   * is refused.
   */
  async #read(read: (key: SessionKey) => Promise<object>): Promise<object> {
    const { store, namespace } = this.#engine
    const key: SessionKey = { namespace, id: this.#session.id }
    const found = await read(key)
    const { session } = await store.sessions.readSeen(key)
    if (session !== this.#session.number)
      throw new ErasedMeanwhileError({ sessionId: key.id, erased: 'session' })
    return found
  }

  async #write(
    name: Exclude<MemoryToolName, 'query_history' | 'expand_history'>,
    { content, section }: ToolArguments,
  ): Promise<object> {
    const { store, namespace, layerBudgets } = this.#engine
    const { id, user } = this.#session
    const key = documentFor(name, this.#session, namespace)
    const head = (await store.sessions.readSession({ namespace, id }))?.head
    const { added, tokens } = await writeNote(this.#engine, {
      key,
      from: { namespace, id, seen: this.#seen },
      content: String(content),
      section: section === undefined ? undefined : sectionName(String(section), this.#texts),
      tool: name,
      subject: key.layer === 'user' ? user : null,
      origin: { sessionId: id, seq: head?.seq ?? 0 },
      texts: this.#texts,
    })
    const budget = layerBudgets[key.layer]
    return {
      recalled: true,
      result: added === 0 ? this.#texts.known : this.#texts.noted(added),
      ...(tokens > budget && {
        warning: this.#texts.overBudget(tokens, budget),
      }),
    }
  }
}

function sectionName(given: string, { badSection }: Texts['tools']): string {
  try {
    return checkSectionName(given.replace(/^#{1,6}\s+/, ''))
  } catch (error) {
    throw new ToolArgumentError(badSection(String((error as Error).message)))
  }
}

function documentFor(
  name: 'write_memory' | 'write_user_memory' | 'write_chat_memory',
  { id, user }: SessionRecord,
  namespace: string,
): DocumentKey {
  if (name === 'write_memory') return { namespace, layer: 'global', key: '' }
  if (name === 'write_user_memory') return { namespace, layer: 'user', key: user! }
  return { namespace, layer: 'chat', key: id }
}

/** Uses the symbol by which the AI SDK knows its own schemas, so that the package itself is not needed. */
function sdkSchema(parameters: ToolDefinition['parameters']): never {
  return {
    [Symbol.for('vercel.ai.schema')]: true,
    _type: undefined,
    jsonSchema: parameters,
    // `execute` reports mistakes in words that a model can act on.
    validate: (value: unknown) => ({ success: true, value }),
  } as never
}
