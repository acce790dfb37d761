import { ApiError } from '../../client/api-error.ts'
import { useServerStatus } from '../live/config-status.ts'
import { clockTime } from '../ui/time/format-time.ts'

export interface ConfigProblem {
  readonly title: string
  /** Code frame of the error, if known. */
  readonly text: string
  readonly location?: string
  readonly note?: string
}

/** Why the current configuration could not be loaded; undefined when it was. */
export function useConfigProblem(): ConfigProblem | undefined {
  const { data, error } = useServerStatus()
  if (error instanceof ApiError && error.status === 503) return problemOf(error.message)
  const failure = data?.config.error
  if (!failure || !data) return undefined
  const { name, message, file, line, column } = failure
  return {
    title: `${name}: ${message}`,
    location: [file, line, column].filter((part) => part !== null).join(':'),
    text: failure.frame ?? '',
    note: `still serving the version of ${clockTime(data.generation.at)}`,
  }
}

/** The first line names the problem: that nothing was loaded yet, or that the database is away. */
function problemOf(message: string): ConfigProblem {
  const [title = '', ...lines] = message.split('\n')
  return { title, text: lines.join('\n') }
}
