/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** How many arrays and objects may be nested in each other, in what is read and in what is written. */
export const MAX_JSON_DEPTH = 100
