/** Something was asked, and the answer says nothing. Another try may say more. */
export class EmptyReplyError extends Error {
  override readonly name = 'EmptyReplyError'

  constructor() {
    super('The reply was empty.')
  }
}
