import { z } from '@hono/zod-openapi'
import { HistoryConflictError, SessionNotFoundError } from 'palimpsest/internals/errors'
import { contentText, type Message, type MessageInput } from 'palimpsest/internals/log/index'
import type { SessionOptions } from 'palimpsest/internals/palimpsest'
import type { Policy } from 'palimpsest/internals/policy/index'
import type { Appended, ReadOptions, Session } from 'palimpsest/internals/session'
import { runInSlices } from 'palimpsest/internals/slices'
import { measureMessageInSteps } from 'palimpsest/internals/tokens/index'
import { type Call, endpoint, IDEMPOTENCY_HEADER, sessionOf } from '../endpoint.ts'
import { OVERRIDES, oneOf, wholeNumberText } from '../fields.ts'
import { given } from '../given.ts'
import { readIdempotencyKey, reusedKey } from '../idempotency.ts'
import { invalidArguments } from '../problems.ts'
import { withinScopes } from '../within-scopes.ts'

const PATH = '/v1/sessions/{id}/messages'
const MAX_MESSAGES = 1_000

/**
 * The schemas of the fields are loose. The log checks the values, and its error
 * messages explain more than a schema could.
 */
const CONTENT = {
  content: z.unknown().optional().openapi({
    description:
      'text, or a list of parts; what of it the sender only passes on has an origin: { kind: forward, quote, reply or link, from: { id, name }, at, chat, url }',
  }),
  text: z.unknown().optional().openapi({ type: 'string', description: 'the same as a content that is text' }),
}
const MESSAGE = {
  role: z.unknown().optional().openapi({ type: 'string', description: 'system, user, assistant, tool' }),
  ...CONTENT,
  sender: z.unknown().optional().openapi({ description: 'a name, or { id, name, isSelf }' }),
  at: z.unknown().optional().openapi({ description: 'ISO 8601, or milliseconds since 1970; left out: now' }),
  zone: z.unknown().optional().openapi({ type: 'string', description: 'IANA time zone of the sender' }),
  externalId: z.unknown().optional().openapi({ type: 'string', description: 'a repeat adds nothing' }),
  replyTo: z.unknown().optional().openapi({ description: 'a seq or an external id' }),
}
const SESSION = {
  kind: z.unknown().optional().openapi({ type: 'string', description: 'private, group, agent' }),
  user: z.unknown().optional().openapi({ type: 'string', description: 'whose private chat it is' }),
  scope: z.unknown().optional().openapi({ type: 'string', description: 'the workspace that it belongs to' }),
}
const SEVERAL = `a list of 1 to ${MAX_MESSAGES} messages`
const APPEND = z
  .strictObject({
    ...MESSAGE,
    messages: z
      .array(z.unknown(), { error: SEVERAL })
      .min(1, { error: SEVERAL })
      .max(MAX_MESSAGES, { error: SEVERAL })
      .optional()
      .openapi({ type: 'array', items: { type: 'object' } }),
    ...SESSION,
    ...OVERRIDES,
  })
  .openapi('Append', { description: 'One message, or several under `messages`; all or nothing.' })

const appendMessages = endpoint({
  method: 'post',
  path: PATH,
  summary: 'Append one message or several; creates the session',
  body: APPEND,
  headers: IDEMPOTENCY_HEADER,
  answers: {
    201: '{ messages: [{ id, seq, duplicate, hidden? }], decision, unassigned? }: `hidden` where it repeats a message that was taken back or erased',
    200: 'all were there already',
  },
  handle: async call => {
    const { one, messages, session, overrides } = partsOf(call.body)
    if (messages !== undefined && Object.keys(one).length > 0)
      throw invalidArguments(
        Object.entries(one).map(([field, value]) => ({
          field,
          value,
          allowed: 'either the fields of one message, or messages',
        })),
      )
    const chat = call.palimpsest.session(call.part('id'), session as SessionOptions)
    const { policy } = await withinScopes(call.access, () => call.settings.forRequest(overrides, chat))
    const input = (messages ?? one) as unknown as MessageInput
    const key = readIdempotencyKey(call.header('idempotency-key'))
    const append = () =>
      key === null
        ? chat.append(input, { ...(policy && { policy }) })
        : appendOnce(chat, input, { key, request: call.body, ...(policy && { policy }) })
    const appended = await withinScopes(call.access, append)
    const isKnown = appended.messages.every(({ duplicate }) => duplicate)
    return { status: isKnown ? 200 : 201, json: appended }
  },
})

/**
 * Notes the key in the transaction of the append, so that not even a crash between the two can append twice.
 */
async function appendOnce(
  chat: Session,
  input: MessageInput | readonly MessageInput[],
  { key, request, policy }: { readonly key: string; readonly request: unknown; readonly policy?: Policy },
): Promise<Appended> {
  try {
    const { repeated: _, ...appended } = await chat.replaceTail(input, {
      operationId: `Idempotency-Key ${key}`,
      operation: request,
      ...(policy && { policy }),
    })
    return appended
  } catch (error) {
    if (error instanceof HistoryConflictError && error.details.reason === 'operation_reused')
      throw reusedKey(key)
    throw error
  }
}

function partsOf({ messages, ...fields }: z.output<typeof APPEND>) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const within = (names: object) => Object.fromEntries(given.filter(([name]) => Object.hasOwn(names, name)))
  return { messages, one: within(MESSAGE), session: within(SESSION), overrides: within(OVERRIDES) }
}

const listMessages = endpoint({
  method: 'get',
  path: PATH,
  summary: 'Read messages, oldest first, from the oldest or from the newest on',
  query: z.strictObject({
    after: wholeNumberText(0).optional().openapi({ description: 'only those above this seq' }),
    before: wholeNumberText(0).optional().openapi({ description: 'only those below this seq' }),
    from: oneOf(['oldest', 'newest'])
      .optional()
      .openapi({ description: 'which end to begin at; left out: oldest. Ascending in either case' }),
    limit: wholeNumberText(1, MAX_MESSAGES).optional().openapi({ description: 'left out: 100' }),
  }),
  answers: {
    200: '{ messages: […], next }: `next` is the `after` of the next page, from the newest on the `before` of the next older one; null on the last one',
  },
  handle: async call => {
    const { limit = 100, from = 'oldest', ...range } = given(call.query)
    const { messages, isMore } = await readPage(sessionOf(call), { ...range, from, limit })
    if (messages.length === 0) await requireSession(call)
    const last = from === 'oldest' ? messages.at(-1) : messages[0]
    const shown = []
    for (const message of messages) shown.push(await messageJson(message))
    return { json: { messages: shown, next: isMore ? last!.seq : null } }
  },
})

/**
 * The most characters of a page. A page of long messages holds fewer of them, but always one: the whole page
 * has to become one text.
 */
const MAX_PAGE_CHARACTERS = 4_000_000
const MESSAGES_AT_A_TIME = 50

async function readPage(
  session: Session,
  { limit, from, ...range }: Required<Pick<ReadOptions, 'limit' | 'from'>> & ReadOptions,
): Promise<{ readonly messages: readonly Message[]; readonly isMore: boolean }> {
  const messages: Message[] = []
  let [left, asked] = [MAX_PAGE_CHARACTERS, range]
  for (;;) {
    // One message more tells whether there is another page.
    const wanted = Math.min(MESSAGES_AT_A_TIME, limit + 1 - messages.length)
    const found = await session.messages({ ...asked, from, limit: wanted, answered: true })
    for (const message of from === 'oldest' ? found : found.toReversed()) {
      left -=
        typeof message.content === 'string' ? message.content.length : JSON.stringify(message.content).length
      if (messages.length === limit || (left < 0 && messages.length > 0))
        return { messages: from === 'oldest' ? messages : messages.reverse(), isMore: true }
      messages.push(message)
    }
    if (found.length < wanted)
      return { messages: from === 'oldest' ? messages : messages.reverse(), isMore: false }
    asked = { ...range, ...(from === 'oldest' ? { after: found.at(-1)!.seq } : { before: found[0]!.seq }) }
  }
}

/** Throws if the session does not exist. An empty result alone does not tell. */
export async function requireSession(
  call: Pick<Call<unknown, unknown>, 'palimpsest' | 'part'>,
): Promise<void> {
  if ((await sessionOf(call).info()) === null) throw new SessionNotFoundError(call.part('id'))
}

export async function messageJson(message: Message) {
  const { content, ...others } = message
  // The tokens that the message adds to a context.
  const { tokens } = await runInSlices(measureMessageInSteps(message))
  return { ...others, content, text: contentText(content), tokens }
}

const editMessage = endpoint({
  method: 'patch',
  path: `${PATH}/{seq}`,
  summary: "Replace a message's content; the earlier one stays as a version",
  body: z.strictObject(CONTENT),
  answers: { 200: '{ seq, version }' },
  handle: async call => {
    const seq = readNumber('seq', call.part('seq'))
    const { content, text } = call.body
    if (content !== undefined && text !== undefined)
      throw invalidArguments([{ field: 'text', value: text, allowed: 'either content or text' }])
    const { version } = await sessionOf(call).edit(seq, (content ?? text) as never)
    return { json: { seq, version } }
  },
})

/** A seq or an id in the path, as a number. */
export function readNumber(field: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw invalidArguments([{ field, value: text, allowed: 'a whole number of at least 1' }])
}

export const messageRoutes = [appendMessages, listMessages, editMessage]
