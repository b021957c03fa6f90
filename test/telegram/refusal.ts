/** What Telegram says where it does not do what it was asked. */
export class Refusal extends Error {
  readonly status: number
  readonly retryAfter: number | undefined

  constructor(status: number, description: string, retryAfter?: number) {
    super(description)
    this.status = status
    this.retryAfter = retryAfter
  }

  toBody() {
    return {
      ok: false,
      error_code: this.status,
      description: this.message,
      ...(this.retryAfter !== undefined && { parameters: { retry_after: this.retryAfter } }),
    }
  }
}
