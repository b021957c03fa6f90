/** What stays in the context word for word through every fold: a message by its `seq`, or a note. */
export interface Pin {
  /** 1, 2, 3 … per session. */
  readonly id: number
  readonly seq: number | null
  readonly note: string | null
  readonly tokens: number
  readonly createdAt: Date
}
