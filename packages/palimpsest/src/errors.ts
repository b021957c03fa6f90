/**
 * Every error that Palimpsest throws on purpose. Each has a stable `code`, typed `details` with the
 * values that were wrong and those allowed, and a message that says what to do.
 */

import type { ApprovalRefusal } from './log/judge-approval.ts'
import { isProviderCode, providerAdvice, providerFailure } from './provider-failure.ts'

/** Maps each code to what the outside sees: the HTTP status and the exit code of the command line. */
export const ERROR_CODES = {
  invalid_message: { status: 422, exit: 65 },
  invalid_argument: { status: 422, exit: 64 },
  invalid_settings: { status: 422, exit: 78 },
  invalid_decision: { status: 500, exit: 70 },
  policy_timeout: { status: 500, exit: 70 },
  redaction_failed: { status: 500, exit: 70 },
  invalid_transcript: { status: 422, exit: 65 },
  invalid_export: { status: 422, exit: 65 },
  context_overflow: { status: 422, exit: 65 },
  message_conflict: { status: 409, exit: 65 },
  history_conflict: { status: 409, exit: 75 },
  position_lost: { status: 410, exit: 75 },
  not_waiting: { status: 409, exit: 65 },
  erased_meanwhile: { status: 409, exit: 65 },
  taken_back: { status: 409, exit: 65 },
  approval_refused: { status: 409, exit: 65 },
  settings_conflict: { status: 412, exit: 75 },
  request_conflict: { status: 422, exit: 65 },
  request_running: { status: 409, exit: 75 },
  channel_failed: { status: 502, exit: 69 },
  model_failed: { status: 502, exit: 69 },
  model_redirected: { status: 502, exit: 69 },
  key_required: { status: 401, exit: 77 },
  key_not_allowed: { status: 403, exit: 77 },
  key_exists: { status: 409, exit: 65 },
  key_not_found: { status: 404, exit: 66 },
  keys_needed: { status: 500, exit: 78 },
  rate_limited: { status: 429, exit: 75 },
  session_exists: { status: 409, exit: 65 },
  session_mismatch: { status: 409, exit: 65 },
  session_not_found: { status: 404, exit: 66 },
  message_not_found: { status: 404, exit: 66 },
  segment_not_found: { status: 404, exit: 66 },
  erasure_not_found: { status: 404, exit: 66 },
  erased_list_missing: { status: 500, exit: 66 },
  document_not_found: { status: 404, exit: 66 },
  document_conflict: { status: 412, exit: 75 },
  scope_owned: { status: 409, exit: 65 },
  file_not_found: { status: 404, exit: 66 },
  file_not_written: { status: 500, exit: 73 },
  epoch_conflict: { status: 409, exit: 75 },
  cursor_conflict: { status: 409, exit: 75 },
  lease_lost: { status: 409, exit: 75 },
  store_busy: { status: 503, exit: 75 },
  store_read_only: { status: 503, exit: 77 },
  store_full: { status: 507, exit: 74 },
  store_corrupt: { status: 500, exit: 74 },
  store_replaced: { status: 500, exit: 74 },
  store_version: { status: 500, exit: 78 },
  store_encoding: { status: 500, exit: 78 },
  store_unavailable: { status: 503, exit: 69 },
  store_failed: { status: 500, exit: 74 },
  closed: { status: 503, exit: 70 },
  missing_peer: { status: 500, exit: 69 },
  malformed_request: { status: 400, exit: 65 },
  host_not_allowed: { status: 403, exit: 77 },
  route_not_found: { status: 404, exit: 66 },
  method_not_allowed: { status: 405, exit: 64 },
  body_too_large: { status: 413, exit: 65 },
  batch_too_large: { status: 413, exit: 65 },
  unsupported_media_type: { status: 415, exit: 65 },
  server_busy: { status: 503, exit: 75 },
  address_unavailable: { status: 500, exit: 69 },
  unexpected: { status: 500, exit: 70 },
} as const

export type ErrorCode = keyof typeof ERROR_CODES
export type ErrorDetails = Readonly<Record<string, unknown>>

/**
 * Errors are recognised by symbol rather than by class, so that two copies of the package know each other's
 * errors.
 */
const marker = Symbol.for('palimpsest.error')

export class PalimpsestError<Details extends ErrorDetails = ErrorDetails> extends Error {
  override readonly name: string = 'PalimpsestError'
  readonly code: ErrorCode
  readonly details: Details
  readonly [marker] = true

  constructor(code: ErrorCode, message: string, details: Details, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
    this.details = details
  }

  static isInstance(error: unknown): error is PalimpsestError {
    return typeof error === 'object' && error !== null && marker in error
  }

  /**
   * An error of another copy of the package is recognised by its name, since that copy has its own classes.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!PalimpsestError.isInstance(value)) return false
    if (this === PalimpsestError || Function.prototype[Symbol.hasInstance].call(this, value)) return true
    return value.name === this.name
  }

  toJSON(): { code: ErrorCode; message: string; details: Details } {
    return { code: this.code, message: this.message, details: this.details }
  }
}

/** A value from the caller is refused. Nothing was changed. */
export class InvalidMessageError extends PalimpsestError<{ field: string; value: unknown; allowed: string }> {
  override readonly name = 'InvalidMessageError'
  constructor(field: string, value: unknown, allowed: string) {
    super('invalid_message', refusal(field, value, allowed), {
      field,
      value: abbreviate(value),
      allowed,
    })
  }
}

export class InvalidArgumentError extends PalimpsestError<{
  field: string
  value: unknown
  allowed: string
}> {
  override readonly name = 'InvalidArgumentError'
  constructor(field: string, value: unknown, allowed: string) {
    super('invalid_argument', refusal(field, value, allowed), {
      field,
      value: abbreviate(value),
      allowed,
    })
  }
}

/** The call does not have this option. Without the error, the option would be lost silently. */
export class UnknownOptionError extends PalimpsestError<{
  field: string
  value: string
  allowed: string
  /** The option that was probably meant. `null`: no name is similar. */
  meant: string | null
}> {
  override readonly name = 'UnknownOptionError'
  constructor(
    field: string,
    option: string,
    { allowed, meant }: { readonly allowed: readonly string[]; readonly meant: string | null },
  ) {
    const suggestion = meant === null ? '' : ` Did you mean ${meant}?`
    super(
      'invalid_argument',
      `${field}: there is no option ${describe(option)}.${suggestion} Allowed: ${allowed.join(', ')}.`,
      { field, value: describeName(option), allowed: allowed.join(', '), meant },
    )
  }
}

/** For options that are counts or durations. */
export function checkPositive(field: string, value: unknown): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError(field, value, 'a number above 0')
}

export interface SettingsProblem {
  readonly setting: string
  readonly value: unknown
  readonly allowed: string
  /** There is no setting of this name, so its value does not matter. */
  readonly isUnknown?: boolean
}

/** There are not many more settings than this. Further invented names help no reader. */
const MAX_PROBLEMS = 50

/** Names every wrong setting, not only the first. */
export class InvalidSettingsError extends PalimpsestError<{ problems: readonly SettingsProblem[] }> {
  override readonly name = 'InvalidSettingsError'
  constructor(problems: readonly SettingsProblem[]) {
    const first = problems.slice(0, MAX_PROBLEMS)
    const lines = first.map(({ setting, value, allowed, isUnknown }) =>
      isUnknown ? `${setting} is no setting here; allowed: ${allowed}` : refusal(setting, value, allowed),
    )
    super('invalid_settings', lines.join('\n'), {
      problems: first.map(problem => ({ ...problem, value: shortened(problem.value) })),
    })
  }
}

/** The caller's own policy did not answer in time. The built-in rules went on without it. */
export class PolicyTimeoutError extends PalimpsestError<{ sessionId: string; timeoutMs: number }> {
  override readonly name = 'PolicyTimeoutError'
  constructor(sessionId: string, timeoutMs: number) {
    super(
      'policy_timeout',
      `A policy of your own did not answer within ${timeoutMs} ms in session ${JSON.stringify(sessionId)}. The built-in ` +
        'rules decided without it. Make it answer sooner, or raise policyTimeoutMs.',
      { sessionId, timeoutMs },
    )
  }
}

/**
 * A reader of events gave a position that is lost: the database was restored since. What happened after the
 * position is missing, or is something else.
 */
export class PositionLostError extends PalimpsestError {
  override readonly name = 'PositionLostError'
  constructor() {
    super(
      'position_lost',
      'The database was restored from a backup since this position was given, or events after it are no longer kept. ' +
        'Read what you need anew, and go on from the last position that there is now.',
      {},
    )
  }
}

/**
 * The caller's own policy returned a value that is not a decision, or that names a type without a handler.
 */
export class InvalidDecisionError extends PalimpsestError<{ returned: unknown; allowed: string }> {
  override readonly name = 'InvalidDecisionError'
  constructor(returned: unknown, allowed: string) {
    super('invalid_decision', `The policy returned ${describe(returned)}; allowed: ${allowed}`, {
      returned: abbreviate(returned),
      allowed,
    })
  }
}

/**
 * The external id is known with other content. The first message stays as it is. `seq` is `null` if the same
 * request held both messages; then neither is stored.
 */
export class MessageConflictError extends PalimpsestError<{
  sessionId: string
  externalId: string
  seq: number | null
}> {
  override readonly name = 'MessageConflictError'
  constructor(details: { sessionId: string; externalId: string; seq: number | null }) {
    const [session, externalId] = [describe(details.sessionId), describe(details.externalId)]
    super(
      'message_conflict',
      details.seq === null
        ? `${externalId} stands for two different messages of one request to session ${session}. Nothing was stored.`
        : `Session ${session} already holds ${externalId} as message ${details.seq}, with other content. ` +
            `The first stays; to change it, edit message ${details.seq}.`,
      details,
    )
  }
}

const HISTORY_CONFLICTS = {
  tail_changed:
    'does not end with the messages that were to be replaced: somebody wrote meanwhile. Nothing was changed; read it again.',
  external_id_replaced:
    'would lose a message: one of the new ones has the external id of one that is replaced, and such an id is stored once. Nothing was changed; edit that message, or leave the id out.',
  operation_reused:
    'knows another change under this operation id. The first stays, and nothing was changed; give each change an id of its own.',
}

/** A change of the history's end does not fit the history. */
export class HistoryConflictError extends PalimpsestError<{
  sessionId: string
  reason: keyof typeof HISTORY_CONFLICTS
}> {
  override readonly name = 'HistoryConflictError'
  constructor(details: { sessionId: string; reason: keyof typeof HISTORY_CONFLICTS }) {
    const { sessionId, reason } = details
    super('history_conflict', `Session ${describe(sessionId)} ${HISTORY_CONFLICTS[reason]}`, details)
  }
}

/** A chat platform refuses further work. */
export class ChannelFailedError extends PalimpsestError<{ channel: string }> {
  override readonly name = 'ChannelFailedError'
  constructor(channel: string, reason: string, cause?: unknown) {
    super('channel_failed', `The channel ${channel} cannot go on: ${reason}`, { channel }, { cause })
  }
}

/** The address of a model redirects to another one. The key of the first address is not for the second. */
export class ModelRedirectedError extends PalimpsestError<{
  redirect: number
  from: string
  to: string
  shouldRetry: false
}> {
  override readonly name = 'ModelRedirectedError'
  constructor(details: { redirect: number; from: string; to: string }) {
    const { redirect, from, to } = details
    super(
      'model_redirected',
      `The model's address ${from} answered with a redirect (${redirect}) to ${redirectedTo(from, to)}. It is not ` +
        'followed: the key and what was said are for that address alone. Set modelBaseUrl to where the API really is.',
      { ...details, shouldRetry: false },
    )
  }
}

function redirectedTo(from: string, to: string): string {
  if (to === '') return 'nowhere'
  return from.startsWith(`${to}/`) ? 'another path there' : to
}

/** The messages were answered already, or they are gone. Nothing was stored. */
export class NotWaitingError extends PalimpsestError<{ sessionId: string; seqs: readonly number[] }> {
  override readonly name = 'NotWaitingError'
  constructor(details: { sessionId: string; seqs: readonly number[] }) {
    const { sessionId, seqs } = details
    super(
      'not_waiting',
      `In session ${describe(sessionId)} no answer is waited for by ${seqs.join(', ')}: it was given, or the message is gone.`,
      details,
    )
  }
}

/** What a handle has seen and is gone now: its session, messages of the session, or memory that was shown. */
export type Erased = 'session' | 'messages' | 'memory'

const ERASED_WORDS: Readonly<Record<Erased, string>> = {
  session: 'it was erased',
  messages: 'messages of it were erased',
  memory: 'memory that it shows was erased',
}

/**
 * Something was erased after the caller had seen it, and before the caller stored its result. Nothing was
 * stored.
 */
export class ErasedMeanwhileError extends PalimpsestError<{ sessionId: string; erased: Erased }> {
  override readonly name = 'ErasedMeanwhileError'
  constructor(details: { sessionId: string; erased: Erased }) {
    super(
      'erased_meanwhile',
      `Session ${describe(details.sessionId)}: since this was begun, ${ERASED_WORDS[details.erased]}. What comes of it may quote that, so nothing was stored; begin anew.`,
      details,
    )
  }
}

/**
 * A rollback hides the message that this one answers. Without that message it would look like an answer to
 * something else. Nothing was stored.
 */
export class TakenBackError extends PalimpsestError<{ sessionId: string; seqs: readonly number[] }> {
  override readonly name = 'TakenBackError'
  constructor(details: { sessionId: string; seqs: readonly number[] }) {
    const { sessionId, seqs } = details
    super(
      'taken_back',
      `Session ${describe(sessionId)}: message ${seqs.join(', ')}, which this follows, was taken back since. Nothing was stored; begin anew.`,
      details,
    )
  }
}

const MAX_NAMED = 5

const APPROVAL_WORDS: Readonly<Record<ApprovalRefusal, string>> = {
  unknown: 'it was never asked for here, or what asked for it was erased or taken back',
  answered: 'it was answered before, or the call has its result',
  earlier_beginning: 'what asked for it lies before the newest beginning of the session',
}

/** No call waits for this approval. Nothing was stored, and nothing is run. */
export class ApprovalRefusedError extends PalimpsestError<{
  sessionId: string
  approvalId: string
  reason: ApprovalRefusal
  /** The ids of the approvals that wait for an answer. */
  waiting: readonly string[]
}> {
  override readonly name = 'ApprovalRefusedError'
  constructor(details: {
    sessionId: string
    approvalId: string
    reason: ApprovalRefusal
    waiting: readonly string[]
  }) {
    const { sessionId, approvalId, reason, waiting } = details
    const named = waiting.slice(0, MAX_NAMED).map(id => describe(id))
    const more = waiting.length > MAX_NAMED ? ` and ${waiting.length - MAX_NAMED} more` : ''
    const allowed = named.length === 0 ? 'None waits now.' : `Waiting: ${named.join(', ')}${more}.`
    super(
      'approval_refused',
      `Session ${describe(sessionId)}: the approval ${describe(approvalId)} cannot be answered: ${APPROVAL_WORDS[reason]}. Nothing was done. ${allowed}`,
      details,
    )
  }
}

/** The handle has seen something that is gone now. A new try with the same handle fails again. */
export function isOverForGood(error: unknown): boolean {
  return PalimpsestError.isInstance(error) && ['erased_meanwhile', 'taken_back'].includes(error.code)
}

/** Another caller changed the settings since this caller read them. */
export class SettingsConflictError extends PalimpsestError<Record<string, never>> {
  override readonly name = 'SettingsConflictError'
  constructor() {
    super(
      'settings_conflict',
      'The settings are no longer those that were read. Nothing was changed; read them again.',
      {},
    )
  }
}

export class KeyExistsError extends PalimpsestError<{ namespace: string; name: string }> {
  override readonly name = 'KeyExistsError'
  constructor(details: { namespace: string; name: string }) {
    const { namespace, name } = details
    super(
      'key_exists',
      `Namespace ${describe(namespace)} already has a key ${describe(name)}. Choose another name, or revoke that one.`,
      details,
    )
  }
}

export class SessionNotFoundError extends PalimpsestError<{ sessionId: string }> {
  override readonly name = 'SessionNotFoundError'
  constructor(sessionId: string) {
    super('session_not_found', `There is no session ${describe(sessionId)}. An append creates one.`, {
      sessionId,
    })
  }
}

export class SessionExistsError extends PalimpsestError<{ sessionId: string }> {
  override readonly name = 'SessionExistsError'
  constructor(sessionId: string) {
    super('session_exists', `There is already a session ${describe(sessionId)}. Choose another id.`, {
      sessionId,
    })
  }
}

export interface TraitMismatch {
  readonly trait: 'kind' | 'user' | 'scope'
  /** What the caller gave. */
  readonly given: string
  /** What the session has. */
  readonly stored: string
}

/** The caller opened a session with another kind, user or scope than it has. Nothing was stored or read. */
export class SessionMismatchError extends PalimpsestError<{
  sessionId: string
  mismatches: readonly TraitMismatch[]
}> {
  override readonly name = 'SessionMismatchError'
  constructor(details: { sessionId: string; mismatches: readonly TraitMismatch[] }) {
    const { sessionId, mismatches } = details
    const differences = mismatches.map(
      ({ trait, given, stored }) => `its ${trait} is ${describe(stored)}, not ${describe(given)}`,
    )
    super(
      'session_mismatch',
      `Session ${describe(sessionId)} is another one: ${differences.join('; ')}. Nothing was stored. ` +
        'What a session is never changes: use another id, or leave out what you do not know.',
      details,
    )
  }

  /** The error for a caller that may write and may not read. */
  withoutStored(): PalimpsestError {
    const { sessionId, mismatches } = this.details
    const differences = mismatches.map(({ trait, given }) => `its ${trait} is not ${describe(given)}`)
    return new PalimpsestError(
      'session_mismatch',
      `Session ${describe(sessionId)} is another one: ${differences.join('; ')}. Nothing was stored.`,
      { sessionId, mismatches: mismatches.map(({ trait, given }) => ({ trait, given })) },
    )
  }
}

export class MessageNotFoundError extends PalimpsestError<{ sessionId: string; seq: number }> {
  override readonly name = 'MessageNotFoundError'
  constructor(sessionId: string, seq: number) {
    super('message_not_found', `Session ${describe(sessionId)} has no visible message ${seq}.`, {
      sessionId,
      seq,
    })
  }
}

export class SegmentNotFoundError extends PalimpsestError<{ sessionId: string; segment: number }> {
  override readonly name = 'SegmentNotFoundError'
  constructor(sessionId: string, segment: number) {
    super('segment_not_found', `Session ${describe(sessionId)} has no segment ${segment}.`, {
      sessionId,
      segment,
    })
  }
}

export class ErasureNotFoundError extends PalimpsestError<{ erasure: number }> {
  override readonly name = 'ErasureNotFoundError'
  constructor(erasure: number) {
    super('erasure_not_found', `There is no erasure ${erasure}.`, { erasure })
  }
}

interface DocumentName {
  readonly layer: string
  readonly key: string
}

function describeDocument({ layer, key }: DocumentName): string {
  return key === '' ? `${layer} memory` : `${layer} memory of ${describe(key)}`
}

export class DocumentNotFoundError extends PalimpsestError<{ layer: string; key: string }> {
  override readonly name = 'DocumentNotFoundError'
  constructor(document: DocumentName) {
    const { layer, key } = document
    super(
      'document_not_found',
      `There is no ${describeDocument(document)} yet. The first write creates it.`,
      { layer, key },
    )
  }
}

/** Another writer changed the document since the version that the caller had read. */
export class DocumentConflictError extends PalimpsestError<{
  layer: string
  key: string
  expected: number
  actual: number
}> {
  override readonly name = 'DocumentConflictError'
  constructor(document: DocumentName, versions: { expected: number; actual: number }) {
    const { layer, key } = document
    super(
      'document_conflict',
      `The ${describeDocument(document)} is at version ${versions.actual}, not ${versions.expected}. ` +
        'Nothing was changed; read it again.',
      { layer, key, ...versions },
    )
  }
}

/** A scope of one person stays with that person. Another one would be shown that person's memory. */
export class ScopeOwnedError extends PalimpsestError<{ scope: string }> {
  override readonly name = 'ScopeOwnedError'
  constructor(scope: string) {
    super(
      'scope_owned',
      `The scope ${JSON.stringify(scope)} is another person's already. Nothing was changed; take another scope, or erase ` +
        'that person first.',
      { scope },
    )
  }
}

/** The commit was made for another epoch. The history was folded, edited, rolled back or erased meanwhile. */
export class EpochConflictError extends PalimpsestError<{
  sessionId: string
  expected: number
  actual: number
}> {
  override readonly name = 'EpochConflictError'
  constructor(details: { sessionId: string; expected: number; actual: number }) {
    super(
      'epoch_conflict',
      `Session ${describe(details.sessionId)} is in epoch ${details.actual}, not ${details.expected}: ` +
        'its history changed meanwhile. Nothing was stored; plan again.',
      details,
    )
  }
}

export class CursorConflictError extends PalimpsestError<{
  sessionId: string
  expected: number
  actual: number
}> {
  override readonly name = 'CursorConflictError'
  constructor(details: { sessionId: string; expected: number; actual: number }) {
    super(
      'cursor_conflict',
      `Session ${describe(details.sessionId)} is folded through ${details.actual}, not ${details.expected}. ` +
        'Nothing was stored; plan again.',
      details,
    )
  }
}

/** The lease ran out. Another process has held the session since, or holds it now. */
export class LeaseLostError extends PalimpsestError<{ sessionId: string; token: number }> {
  override readonly name = 'LeaseLostError'
  constructor(sessionId: string, token: number) {
    super(
      'lease_lost',
      `The lease ${token} on session ${describe(sessionId)} is no longer held. Nothing was stored.`,
      { sessionId, token },
    )
  }
}

/** What takes room in a context, in words for people. */
const CONTEXT_PARTS = {
  instructions: 'instructions',
  tools: 'tools',
  memory: 'memory documents',
  changes: 'changes of memory',
  outputReserve: 'output reserve',
  rounding: 'rounding of the token counts',
  summary: 'session memory',
  conversation: 'conversation',
} as const

/** In tokens of the budget. A part of zero tokens may be left out. */
export type ContextNeeds = { readonly [Part in keyof typeof CONTEXT_PARTS]?: number }

/**
 * The newest message does not fit beside the fixed parts of the call, even when it is shortened as far as
 * possible. No model was called, and nothing has changed. `neededTokens` is the size of the smallest context
 * that was tried. It is above the budget, and it is the sum of `parts`.
 */
export class ContextOverflowError extends PalimpsestError<{
  budget: number
  neededTokens: number
  /** The part of `neededTokens` that is not for messages. */
  fixedTokens: number
  /** The rest: the least that the session memory and the conversation take. */
  conversationTokens: number
  parts: ContextNeeds
}> {
  override readonly name = 'ContextOverflowError'
  constructor(budget: number, needs: ContextNeeds) {
    const taken = Object.entries(needs).filter(([, tokens]) => tokens > 0)
    const neededTokens = taken.reduce((sum, [, tokens]) => sum + tokens, 0)
    const { summary = 0, conversation = 0 } = needs
    const parts = taken.map(([part, tokens]) => `${CONTEXT_PARTS[part as keyof ContextNeeds]} ${tokens}`)
    super(
      'context_overflow',
      `A context of ${budget} tokens has no room for the conversation: it would take ${neededTokens} tokens, ` +
        `${parts.join(', ')}. Raise the budget, or shorten the instructions and tools.`,
      {
        budget,
        neededTokens,
        fixedTokens: neededTokens - summary - conversation,
        conversationTokens: summary + conversation,
        parts: Object.fromEntries(taken),
      },
    )
  }
}

type StoreErrorCode = Extract<ErrorCode, `store_${string}`>

/** What the database said, in our words, with advice. The database's own error is the `cause`. */
export class StoreError extends PalimpsestError<{ store: string; reason: string }> {
  override readonly name = 'StoreError'
  constructor(code: StoreErrorCode, store: string, message: string, cause?: unknown) {
    const reason = cause instanceof Error ? cause.message : ''
    super(code, `${store}: ${message}`, { store, reason }, { cause })
  }
}

export class ClosedError extends PalimpsestError<Record<string, never>> {
  override readonly name = 'ClosedError'
  constructor(what: string) {
    super('closed', `The ${what} is closed. Create a new one to go on.`, {})
  }
}

export class MissingPeerError extends PalimpsestError<{ peer: string }> {
  override readonly name = 'MissingPeerError'
  constructor(peer: string, need: string, cause: unknown) {
    super(
      'missing_peer',
      `${need} needs the package "${peer}". Install it, and start again: npm install ${peer}`,
      { peer },
      { cause },
    )
  }
}

const SHOWN_CHARACTERS = 80

/** A value for a message: short, quoted, on one line. */
export function describe(value: unknown): string {
  const text = jsonOrText(value)
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`
}

/**
 * Why a value is refused. A missing value is called missing, since a person who typed a command did not write
 * `undefined`.
 */
export function refusal(field: string, value: unknown, allowed: string): string {
  return value === undefined
    ? `${field}: nothing is given; allowed: ${allowed}`
    : `${field}: ${describe(value)} cannot be taken; allowed: ${allowed}`
}

/** A name that a caller wrote, for details. It stays as it is unless it is long. */
function describeName(name: string): string {
  return name.length <= SHOWN_CHARACTERS ? name : describe(name)
}

/** JSON refuses cycles and big integers. An error message about such a value must not throw itself. */
function jsonOrText(value: unknown): string {
  // Only the beginning is shown, so the rest need not be converted.
  const shown = typeof value === 'string' ? value.slice(0, 2 * SHOWN_CHARACTERS) : value
  try {
    return JSON.stringify(shown) ?? String(shown)
  } catch {
    return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value)
  }
}

/** Like `abbreviate`, but a text is not quoted unless it is long. */
function shortened(value: unknown): unknown {
  return typeof value === 'string' ? describeName(value) : abbreviate(value)
}

/** Details go into logs and HTTP answers, so a huge value is shortened. */
function abbreviate(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value == null) return value
  return describe(value)
}

/** Our own errors whose messages repeat text of a caller, a provider or a platform. */
const REPEATING: ReadonlySet<ErrorCode> = new Set([
  'invalid_message',
  'invalid_argument',
  'invalid_transcript',
  'invalid_export',
  'model_failed',
  'context_overflow',
  'malformed_request',
])

/** A name as programs write it. It cannot hold the words of a person. */
const NAME = /^[A-Za-z][A-Za-z0-9_.:/-]{0,79}$/
const NUMBER_OR_NAME = /^[A-Za-z0-9_]{2,40}$/
const MAX_CAUSES = 4

/**
 * Describes an error for a log, a trace or a stored outcome: its kind, its codes and the place where it was
 * thrown. It repeats the message only if the message is our own. An error of a provider, a platform or a
 * database may repeat its request, with the conversation and the key.
 */
export function describeError(error: unknown, { withPlace = true } = {}): string {
  const told: string[] = []
  let next: unknown = error
  for (let depth = 0; depth < MAX_CAUSES && next !== undefined && next !== null; depth++) {
    const text = describeOne(next, withPlace)
    if (!told.includes(text)) told.push(text)
    // Our own message is complete, so its causes add nothing.
    if (PalimpsestError.isInstance(next)) break
    next = next instanceof Error ? innerOf(next) : undefined
  }
  return told.length === 0 ? `a thrown ${error === null ? 'null' : 'undefined'}` : told.join(', caused by ')
}

/** The inner error. For a retry that was given up, or for several errors in one, it is the last error. */
function innerOf(error: Error): unknown {
  const { lastError, errors } = error as { lastError?: unknown; errors?: unknown }
  return error.cause ?? lastError ?? (Array.isArray(errors) ? errors.at(-1) : undefined)
}

/**
 * What the JavaScript engine says about a mistake in code. It holds names of the program and nothing else.
 */
const MISTAKE =
  /^(?:[\w.$]{1,80} is not (?:defined|a function|iterable|a constructor)|Cannot (?:read|set) properties of (?:undefined|null)(?: \((?:reading|setting) '[\w$]{1,80}'\))?)$/

function describeOne(error: unknown, withPlace: boolean): string {
  if (PalimpsestError.isInstance(error) && !REPEATING.has(error.code)) return error.message
  if (typeof error !== 'object' || error === null) return `a thrown ${typeof error}`
  const { name, statusCode, status, error_code, reason, model, syscall, details } = error as Readonly<
    Record<string, unknown>
  >
  const known = PalimpsestError.isInstance(error) ? error.code : named(name) ? name : 'Error'
  const inner = (details ?? {}) as Readonly<Record<string, unknown>>
  const code = tellableCode(error)
  const { message } = error as { message?: unknown }
  const facts = [
    ...(typeof message === 'string' && MISTAKE.test(message) ? [message] : []),
    ...(code === null || known === code ? [] : [code]),
    ...(named(reason, NUMBER_OR_NAME) && !isAnswer(error) ? [reason] : []),
    ...(named(syscall, NUMBER_OR_NAME) ? [syscall] : []),
    ...[statusCode, status, error_code, inner['status']]
      .filter(number => typeof number === 'number')
      .slice(0, 1)
      .map(number => `status ${number}`),
    ...(named(model) ? [model] : named(inner['model']) ? [inner['model']] : []),
  ]
  const place = withPlace ? placeOf(error) : null
  const told = [
    known,
    ...(facts.length > 0 ? [`(${facts.join(', ')})`] : []),
    ...(place ? [`at ${place}`] : []),
  ].join(' ')
  const advice = adviceAbout(error)
  return advice === null ? told : `${told}: ${advice}`
}

/**
 * An error for a server's answer to a request of ours. Its words are the server's, apart from known codes.
 */
function isAnswer(error: object): boolean {
  const { statusCode, status } = error as Readonly<Record<string, unknown>>
  return typeof statusCode === 'number' || typeof status === 'number'
}

/** Codes as Node, its parts and the databases write them. */
const SYSTEM_CODE =
  /^(?:E[A-Z0-9]{2,14}|EAI_[A-Z]{2,12}|(?:ERR|UND_ERR|SQLITE|HPE)_[A-Z0-9_]{2,50}|[A-Z_]{3,40}_CERT[A-Z_]{0,30}|CERT_[A-Z_]{3,30}|UNABLE_TO_[A-Z_]{3,40})$/
const SQL_STATE = /^[0-9A-Z]{5}$/

/** The code of an error, if a program defines it. A text that a server made up is not returned. */
function tellableCode(error: object): string | null {
  const { code, severity } = error as Readonly<Record<string, unknown>>
  if (PalimpsestError.isInstance(error)) return error.code
  const { code: ofProvider } = providerFailure(error)
  if (ofProvider !== null) return ofProvider
  if (typeof code !== 'string' || isAnswer(error)) return null
  return SYSTEM_CODE.test(code) || (severity !== undefined && SQL_STATE.test(code)) ? code : null
}

/** Only for calls of a model. On other servers a 404 has other reasons. */
function adviceAbout(error: object): string | null {
  const { statusCode, reason } = error as Readonly<Record<string, unknown>>
  const { kind, code } = providerFailure(error)
  if (reason === 'model_not_found') return providerAdvice('no_such_model')
  if (reason === 'insufficient_quota') return providerAdvice('no_quota')
  return typeof statusCode === 'number' || isProviderCode(code) ? providerAdvice(kind) : null
}

function named(value: unknown, pattern = NAME): value is string {
  return typeof value === 'string' && pattern.test(value)
}

/**
 * The place of a mistake in code. For an error with codes the place is left out, because the codes say more.
 */
function placeOf(error: object): string | null {
  if ('code' in error || 'statusCode' in error || 'reason' in error) return null
  const frame = framesOf(error).find(line => !/node:|node_modules/.test(line))
  return /([^\s()]+:\d+:\d+)\)?$/.exec(frame ?? '')?.[1] ?? null
}

const FRAME = /^ {4}at (?:[^\n]{1,200} \()?(?:file:|node:|\/|[A-Za-z]:\\)[^\n]{1,500}:\d+:\d+\)?$/

/**
 * The lines of the stack, without the message before them. If the message cannot be told from the lines,
 * nothing is returned.
 */
export function framesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return []
  const { stack, message } = error
  const words = message === '' ? 0 : stack.indexOf(message)
  if (words === -1) return []
  return stack
    .slice(words + message.length)
    .split('\n')
    .filter(line => FRAME.test(line))
}

/** The error for loggers and tracers, which write down everything that an error holds. */
export function tellableError(error: unknown): Error {
  const told = new Error(describeError(error))
  const { name } = (error ?? {}) as { readonly name?: unknown }
  if (named(name)) told.name = name
  told.stack = [`${told.name}: ${told.message}`, ...framesOf(error)].join('\n')
  const code = typeof error === 'object' && error !== null ? tellableCode(error) : null
  return code === null ? told : Object.assign(told, { code })
}
