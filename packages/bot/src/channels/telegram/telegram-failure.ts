/** Telegram refused a call, or there was no answer. Holds nothing secret. */
export class TelegramFailure extends Error {
  override readonly name = 'TelegramFailure'
  /** As Telegram gives it, like those of HTTP; `null`: there was no answer. */
  readonly status: number | null
  /** How long Telegram wants to be left alone. */
  readonly retryAfterMs: number | null
  /** The group is a supergroup now, with this id. */
  readonly movedTo: string | null

  constructor(description: string, details: Pick<TelegramFailure, 'status' | 'retryAfterMs' | 'movedTo'>) {
    super(description)
    this.status = details.status
    this.retryAfterMs = details.retryAfterMs
    this.movedTo = details.movedTo
  }
}
