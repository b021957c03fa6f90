/** Telegram refused a call or did not answer. The error holds no secret. */
export class TelegramFailure extends Error {
  override readonly name = 'TelegramFailure'
  /** Telegram's code, which follows HTTP. `null`: there was no answer. */
  readonly status: number | null
  /** How long Telegram asks to wait. */
  readonly retryAfterMs: number | null
  /** The id of the supergroup that the group has become. */
  readonly movedTo: string | null

  constructor(description: string, details: Pick<TelegramFailure, 'status' | 'retryAfterMs' | 'movedTo'>) {
    super(description)
    this.status = details.status
    this.retryAfterMs = details.retryAfterMs
    this.movedTo = details.movedTo
  }
}
