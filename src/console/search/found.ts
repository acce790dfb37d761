/** Something else that can be done with what was found. */
export interface FoundAction {
  readonly name: string
  readonly run: () => void
  /** The search stays open. */
  readonly stays?: true
}

/** One result of the search. */
export interface Found {
  /** Different for each result, and the same for one that is found twice. */
  readonly key: string
  readonly name: string
  /** Shown behind the name: an id, or what the result is. */
  readonly note?: string
  /** Status of the API. */
  readonly status?: string
  /** ISO 8601 timestamp. */
  readonly at?: string
  /** The text around the words, and what it is a part of. */
  readonly match?: { readonly field: string; readonly text: string }
  /** The text of the search when this is chosen: it completes a filter, and opens nothing. */
  readonly completed?: string
  readonly run: () => void
  /** The search stays open. */
  readonly stays?: true
  readonly actions?: readonly FoundAction[]
}

/** Results of one kind. */
export interface FoundGroup {
  readonly name: string
  readonly items: readonly Found[]
  /** Why results of this kind may be missing. */
  readonly missing?: string | undefined
}

/** What is searched for. */
export interface Wanted {
  readonly text: string
  /** Aborted when another text is searched for. */
  readonly signal: AbortSignal
}

/** Returns results for a text. */
export type SearchSource = (wanted: Wanted) => readonly FoundGroup[] | Promise<readonly FoundGroup[]>

/** Whether each word of a text is in one of the others, in any case. */
export function hasWords(text: string, ...where: readonly string[]): boolean {
  const all = where.join(' ').toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
