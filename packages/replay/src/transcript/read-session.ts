import { InvalidMessageError } from 'palimpsest/internals/errors'
import type { MessageInput } from 'palimpsest/internals/log/index'
import { foundMessages } from './found-message.ts'
import { idOf, isRecord, listOf, recordOf } from './json-value.ts'
import type { FoundConversation } from './transcript.ts'

/** Reads what `palimpsest export` writes: its messages as they are, without those that a rollback hid. */
export function readSession(value: unknown): FoundConversation[] {
  const { id, messages } = recordOf(value)
  return [
    {
      id: idOf(id),
      title: null,
      messages: listOf(messages).flatMap((message, index) =>
        foundMessages(index + 1, () => (recordOf(message)['hidden'] === true ? [] : [convert(message)])),
      ),
    },
  ]
}

const FIELDS = ['role', 'content', 'sender', 'at', 'zone', 'externalId']

function convert(message: unknown): MessageInput {
  if (!isRecord(message)) throw new InvalidMessageError('message', message, 'an object with role and content')
  const given = FIELDS.filter(field => message[field] !== null && message[field] !== undefined)
  return Object.fromEntries(given.map(field => [field, message[field]])) as unknown as MessageInput
}
