export { type Aligned, alignHistory, type KnownMessage, saysTheSame } from './align-history.ts'
export { type Answered, mayAnswer } from './answered.ts'
export {
  type AttachmentKind,
  type AttachmentSummary,
  asAttachment,
  attachmentKind,
  attachmentMediaType,
  attachmentName,
  attachmentValues,
  isAttachment,
  isBytes,
  OTHER_ATTACHMENT_RULE,
  summarizeAttachment,
} from './attachment.ts'
export { contentText, interruptionOf, mediaIn, modelText, undeliveredOf } from './content.ts'
export { findCuts, findGroups, type Group, type LinkedMessage } from './groups.ts'
export { inertId, inertName, listedId, listedName } from './inert-name.ts'
export { isZone, MESSAGE_INSTANT_RULE, parseInstant, parseMessageInstant } from './instant.ts'
export {
  type ApprovalDecision,
  type ApprovalRefusal,
  decisionParts,
  idOfAnswer,
  type JudgedApproval,
  judgeApproval,
  waitingApprovals,
} from './judge-approval.ts'
export { isLineBreak, splitLines, withPlainLineBreaks } from './lines.ts'
export { contentLinks, isReply, type Links } from './links.ts'
export * from './message.ts'
export {
  checkId,
  ID_RULE,
  isId,
  isNewId,
  MAX_CONTENT_CHARACTERS,
  MAX_ID_CHARACTERS,
  type MessageInput,
  NEW_ID_RULE,
  normalizeContent,
  normalizeMessage,
} from './normalize-message.ts'
export { oneLine } from './one-line.ts'
export {
  byOrigin,
  type ContentOfOrigin,
  hasOrigins,
  isAnswered,
  nameOnly,
  ORIGIN_KINDS,
  originNames,
  originOf,
  ownContent,
  ownText,
} from './origin.ts'
export { nameKeys } from './people/name-keys.ts'
export {
  boundPeople,
  MAX_PEOPLE,
  mergePeople,
  normalizePeople,
  type Person,
  type PersonName,
  peopleIn,
} from './people/person.ts'
export { isMarkedAt, isWordAt, standsAlone } from './people/stands-alone.ts'
export { type KnownSpeaker, namesAlone, type Spoken, WhoIsWho } from './people/who-is-who.ts'
export type { Pin } from './pin.ts'
export { MAX_QUOTATION_TOKENS, quotationOf, quotedFrom, shortQuotation } from './quotation.ts'
export { MEMORY_TOOL_NAMES, type MemoryToolName, searchableText, withoutRecalled } from './recalled.ts'
export {
  isReplaceable,
  type Memo,
  type NewSegment,
  type Segment,
  type SegmentState,
  VERBATIM,
} from './segment.ts'
export { isToCome, lastBelieved, MAX_CLOCK_SKEW_MS, secondsSince } from './stored-instant.ts'
export { type AnsweredCall, toolCallsIn } from './tool-calls.ts'
export { nextTotals, type Size, type Totals } from './totals.ts'
export {
  completeTurns,
  GROUP_TURN_MESSAGES,
  nextTurnPosition,
  type SessionKind,
  type TurnPosition,
  type TurnRules,
} from './turns.ts'
export { headOf, tailOf } from './whole-characters.ts'
export { normalizeWindowMessage, type WindowMessage } from './window.ts'
