import type { ModelMessage } from '../context/index.ts'
import type { MemoryToolName } from '../log/index.ts'
import type { SdkTool } from '../memory/index.ts'

/**
 * The part of the AI SDK's types that a turn meets, told in words of our own: whoever does without the SDK
 * compiles without it.
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
  /** What the steps before it said, tools included. */
  readonly responseMessages: readonly unknown[]
  /** Those before it. */
  readonly steps?: readonly unknown[]
  /** What the program put in meanwhile for this step; it is in `messages`. */
  readonly experimental_steeringMessages?: readonly unknown[]
}

/** Assignable to what the SDK takes, whatever model and messages it knows. */
export interface StepChange {
  instructions?: SystemMessage
  messages?: SentToModel[]
  model?: never
}

/** For `generateText`, `streamText` and agents: spread it beside the model. */
export interface TurnPrompt<Tools extends object> {
  /** Left out where there are none. */
  instructions?: SystemMessage
  messages: SentToModel[]
  tools: Tools & MemoryToolSet
  /** Ends the loop of tool calls; without it the SDK stops after the first. */
  stopWhen: (state: { readonly steps: readonly unknown[] }) => boolean
  prepareStep: (step: Step) => Promise<StepChange>
}

/** As far as they are offered in the session. */
export type MemoryToolSet = { [Name in MemoryToolName]: SdkTool }

/** What `generateText`, `streamText` and agents give, as far as a turn looks at it. */
export interface GeneratedLike {
  readonly responseMessages?: PromiseLike<readonly unknown[]> | readonly unknown[]
  readonly steps?: PromiseLike<readonly unknown[]> | readonly unknown[]
  readonly stream?: AsyncIterable<unknown>
  readonly fullStream?: AsyncIterable<unknown>
}

/** Of a finished step, what it took and who took it. */
export interface StepFigures {
  readonly finishReason?: string
  readonly usage?: {
    readonly inputTokens?: number | undefined
    readonly outputTokens?: number | undefined
    readonly inputTokenDetails?: { readonly cacheReadTokens?: number | undefined }
  }
  readonly model?: { readonly provider?: string; readonly modelId?: string }
}
