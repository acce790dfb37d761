/** An event that code sends. */
export interface EventToSend {
  /** Letters, digits, `.`, `_`, `:` and `-`. */
  readonly name: string
  /** Only steps that wait for the event with this key take it; without a key, only those that wait for none. */
  readonly key?: string | undefined
  /** A JSON value. Default: null. */
  readonly data?: unknown
  /** An event with the id of an earlier one of the same sender counts once. Default: a new id. */
  readonly id?: string | undefined
}
