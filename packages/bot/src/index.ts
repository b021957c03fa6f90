export {
  type Channel,
  type ChannelHost,
  DeliveryError,
  type IncomingMessage,
  type IncomingSender,
  type OutgoingMessage,
  type Place,
  type Received,
  type SentMessageId,
  type Trigger,
} from './channel.ts'
export { TerminalChannel, type TerminalOptions } from './channels/terminal.ts'
export type {
  GroupOptions,
  InboxOptions,
  People,
  PrivateOptions,
  ReplyReport,
  RuntimeOptions,
  TurnRules,
} from './options.ts'
export type { Reply, ReplyRequest, Responder } from './responder.ts'
export { type ModelResponderOptions, modelResponder } from './responders/model-responder.ts'
export { type SearchResponderOptions, searchResponder } from './responders/search-responder.ts'
export { createRuntime, type Runtime } from './runtime.ts'
export type { Timers } from './timers.ts'
