/** The server refused a call, or the page could not reach the server. */
export class ApiError extends Error {
  readonly status: number
  /** One of the codes in docs/errors.md. `unreachable`: there was no answer. */
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }

  static async of(response: Response): Promise<ApiError> {
    const text = await response.text().catch(() => '')
    try {
      const { error } = JSON.parse(text)
      return new ApiError(response.status, error.code ?? error.type, error.message, error.details)
    } catch {
      return new ApiError(response.status, 'unreadable', text || `${response.status} ${response.statusText}`)
    }
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}
