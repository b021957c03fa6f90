/** The bot was asked something and the reply is empty. Another attempt may bring text. */
export class EmptyReplyError extends Error {
  override readonly name = 'EmptyReplyError'

  constructor() {
    super('The reply was empty.')
  }
}
