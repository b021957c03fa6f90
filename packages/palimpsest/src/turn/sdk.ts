import type { ModelMessage } from '../context/index.ts'
import type { MemoryToolName } from '../log/index.ts'
import type { SdkTool } from '../memory/index.ts'

/**
 * The part of the AI SDK's types that a turn needs, written as our own types: a program without the SDK
 * compiles too.
 */
export type ProviderOptions = Record<string, Record<string, JsonValue>>

type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue }

export interface SystemMessage {
  role: 'system'
  content: string
  providerOptions?: ProviderOptions
}

export type SentToModel = ModelMessage & { providerOptions?: ProviderOptions }

/** What `prepareStep` is told of the step to come. */
export interface Step {
  readonly stepNumber: number
  readonly model: unknown
  /** What the model would be sent. */
  readonly messages: readonly unknown[]
  /** What the earlier steps said, tools included. */
  readonly responseMessages: readonly unknown[]
  /** The earlier steps. */
  readonly steps?: readonly unknown[]
  /** What the program added for this step meanwhile. `messages` includes it. */
  readonly experimental_steeringMessages?: readonly unknown[]
}

/** Assignable to what the SDK takes, whatever models and messages it knows. */
export interface StepChange {
  instructions?: SystemMessage
  messages?: SentToModel[]
  model?: never
}

/** For `generateText`, `streamText` and agents: spread it beside the model. */
export interface TurnPrompt<Tools extends object> {
  /** Left out where there are no instructions. */
  instructions?: SystemMessage
  messages: SentToModel[]
  tools: Tools & MemoryToolSet
  /** Ends the loop of tool calls. Without it the SDK stops after the first step. */
  stopWhen: (state: { readonly steps: readonly unknown[] }) => boolean
  prepareStep: (step: Step) => Promise<StepChange>
}

/** The memory tools, as far as the session offers them. */
export type MemoryToolSet = { [Name in MemoryToolName]: SdkTool }

/** What `generateText`, `streamText` and agents return, as far as a turn reads it. */
export interface GeneratedLike {
  readonly responseMessages?: PromiseLike<readonly unknown[]> | readonly unknown[]
  readonly steps?: PromiseLike<readonly unknown[]> | readonly unknown[]
  readonly stream?: AsyncIterable<unknown>
  readonly fullStream?: AsyncIterable<unknown>
}

/** What a finished step took, and which model took it. */
export interface StepFigures {
  readonly finishReason?: string
  readonly usage?: {
    readonly inputTokens?: number | undefined
    readonly outputTokens?: number | undefined
    readonly inputTokenDetails?: { readonly cacheReadTokens?: number | undefined }
  }
  readonly model?: { readonly provider?: string; readonly modelId?: string }
}
