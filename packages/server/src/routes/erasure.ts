import { ErasureNotFoundError } from 'palimpsest/internals/errors'
import { type Answer, type Call, endpoint } from '../endpoint.ts'
import { readNumber } from './messages.ts'

const RECEIPT = '{ id, target, requestedAt, done, places: [{ place, count, state, note?, statement? }] }'

/** The answer comes when nothing of the erased data can be seen any more. */
const ANSWERS = {
  200: `${RECEIPT}: everything is erased, bytes included`,
  202: `${RECEIPT}: nothing of it can be seen any more; what is pending goes on, or waits for an operator where a place has a statement to run in the database; GET /v1/erasures/{id} says how far it is`,
}

const eraseMessage = endpoint({
  method: 'delete',
  path: '/v1/sessions/{id}/messages/{seq}',
  summary: 'Erase a message for good, and all that was made of it',
  answers: ANSWERS,
  handle: call => {
    const seqs = [readNumber('seq', call.part('seq'))]
    return erase(call, { kind: 'messages', sessionId: sessionId(call), seqs })
  },
})

const eraseSession = endpoint({
  method: 'delete',
  path: '/v1/sessions/{id}',
  summary: 'Erase a session for good, with all that is its own',
  scopes: ['admin'],
  answers: ANSWERS,
  handle: call => erase(call, { kind: 'session', sessionId: sessionId(call) }),
})

const eraseUser = endpoint({
  method: 'delete',
  path: '/v1/users/{id}',
  summary: 'Erase for good all that a person said, their private chats and their memory',
  scopes: ['admin'],
  answers: ANSWERS,
  handle: call => erase(call, { kind: 'person', id: call.part('id') }),
})

type Erasing = Pick<Call<unknown, unknown>, 'palimpsest' | 'part'>

function sessionId({ palimpsest, part }: Erasing): string {
  return palimpsest.session(part('id')).id
}

async function erase(
  { palimpsest }: Erasing,
  target: Parameters<Erasing['palimpsest']['forget']>[0],
): Promise<Answer> {
  const receipt = await palimpsest.forget(target)
  return {
    status: receipt.done ? 200 : 202,
    headers: { location: `/v1/erasures/${receipt.id}` },
    json: receipt,
  }
}

const readErasure = endpoint({
  method: 'get',
  path: '/v1/erasures/{id}',
  summary: 'How far an erasure is',
  answers: { 200: RECEIPT },
  handle: async ({ palimpsest, part }) => {
    const id = readNumber('id', part('id'))
    const receipt = await palimpsest.erasure(id)
    if (receipt === null) throw new ErasureNotFoundError(id)
    return { json: receipt }
  },
})

export const erasureRoutes = [eraseMessage, eraseSession, eraseUser, readErasure]
