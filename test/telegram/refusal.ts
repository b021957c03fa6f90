/** What Telegram says where it does not do what it was asked. */
export class Refusal extends Error {
  readonly status: number
  readonly parameters: { readonly retry_after?: number; readonly migrate_to_chat_id?: number } | undefined

  constructor(status: number, description: string, parameters?: Refusal['parameters']) {
    super(description)
    this.status = status
    this.parameters = parameters
  }

  toBody() {
    return {
      ok: false,
      error_code: this.status,
      description: this.message,
      ...(this.parameters && { parameters: this.parameters }),
    }
  }
}
