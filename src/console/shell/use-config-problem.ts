import { ApiError } from '../../client/api-error.ts'
import { useServerStatus } from '../live/config-status.ts'
import { clockTime } from '../ui/time/format-time.ts'

export interface ConfigProblem {
  readonly title: string
  /** Source with the place of the error, as far as it is known. */
  readonly text: string
  readonly place?: string
  readonly note?: string
}

/** Why the files as they are now do not load; undefined while they do. */
export function useConfigProblem(): ConfigProblem | undefined {
  const { data, error } = useServerStatus()
  if (error instanceof ApiError && error.status === 503)
    return { title: 'The configuration does not load', text: withoutFirstLine(error.message) }
  const failure = data?.config.error
  if (!failure || !data) return undefined
  const { name, message, file, line, column } = failure
  return {
    title: `${name}: ${message}`,
    place: [file, line, column].filter((part) => part !== null).join(':'),
    text: failure.frame ?? '',
    note: `still serving the version of ${clockTime(data.generation.at)}`,
  }
}

function withoutFirstLine(text: string): string {
  const end = text.indexOf('\n')
  return end === -1 ? '' : text.slice(end + 1)
}
