import { ApiError } from '../../client/api-error.ts'
import { errorMessage } from '../api/request-failure.ts'
import { Button } from '../ui/controls/button.tsx'
import { openFilter } from './complete-filter.ts'
import { readSearch } from './read-search.ts'
import type { SearchProgress } from './search-in-order.ts'

export interface SearchNoteProps {
  readonly text: string
  readonly shown: SearchProgress
  readonly isStale: boolean
  readonly retry: () => void
}

/** Why there are no or fewer results, and what to do about it. */
export function SearchNote({ text, shown, isStale, retry }: SearchNoteProps) {
  const problem = problemIn(text)
  const [failure] = isStale ? [] : shown.failures
  if (failure !== undefined)
    return (
      <div role="alert" className="flex shrink-0 items-center justify-between gap-3 px-2 py-2 text-sm">
        <p className="min-w-0 text-error [overflow-wrap:anywhere]">{failureText(failure)}</p>
        <Button size="small" onClick={retry}>
          Search again
        </Button>
      </div>
    )
  if (problem !== undefined)
    return (
      <p role="status" className="shrink-0 px-2 py-2 text-sm text-suspended [overflow-wrap:anywhere]">
        {problem}
      </p>
    )
  const isEmpty = !isStale && shown.isComplete && shown.groups.length === 0
  return (
    <>
      {!isStale && shown.missing !== undefined && (
        <p role="status" className="shrink-0 px-2 py-2 text-sm text-suspended">
          {shown.missing}
        </p>
      )}
      {(isEmpty || hasNoRecords(text, shown, isStale)) && (
        <p className="shrink-0 px-2 py-2 text-sm text-dim">
          {isEmpty ? 'No results. ' : 'Nothing recorded matches. '}
          Use fewer words or filters, the beginning of a word, or a longer time, such as last:7d.
        </p>
      )}
    </>
  )
}

/** The groups that every valid search has. */
const ALWAYS = new Set(['Lists', 'Filters'])

/** Whether the text is a search of records that finds none. */
function hasNoRecords(text: string, { groups, isComplete }: SearchProgress, isStale: boolean): boolean {
  if (isStale || !isComplete || !readSearch(text).query) return false
  return groups.every(({ name }) => ALWAYS.has(name))
}

/** Why the text is not valid. A filter without a value is being typed. */
function problemIn(text: string): string | undefined {
  if (text.trim() === '') return undefined
  const { problem } = readSearch(text)
  const isCompleted = openFilter(text) !== undefined && text.endsWith(':')
  return isCompleted ? undefined : problem
}

function failureText(failure: unknown): string {
  const status = failure instanceof ApiError ? failure.status : undefined
  if (status === 0)
    return 'Records were not searched: the server cannot be reached. They are searched again when it is back.'
  const reason = status === undefined ? errorMessage(failure) : `HTTP ${status}, ${errorMessage(failure)}`
  return `Not everything was searched: ${reason}`
}
