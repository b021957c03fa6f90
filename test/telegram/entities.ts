import type { MessageEntity } from 'grammy/types'

/** Mentions and commands, as Telegram itself finds them in what people write. */
export function findEntities(text: string): MessageEntity[] {
  const commands = [...text.matchAll(/(?<![\w/@])\/\w{1,64}(?:@\w{3,32})?/g)]
  const mentions = [...text.matchAll(/(?<![\w/@])@\w{3,32}/g)]
  return [...commands.map(toEntity('bot_command')), ...mentions.map(toEntity('mention'))].sort(
    (one, other) => one.offset - other.offset,
  )
}

function toEntity(type: 'bot_command' | 'mention') {
  return ({ 0: { length }, index }: RegExpExecArray): MessageEntity => ({ type, offset: index, length })
}
