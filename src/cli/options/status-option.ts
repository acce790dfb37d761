import { Option } from 'commander'
import { EXECUTION_STATUSES } from '../../contract/status/execution-statuses.ts'
import type { ExecutionStatus } from '../../contract/status.ts'
import { statusWord } from '../../contract/status/status-word.ts'

/** The words for the statuses, and the values of the API. */
const STATUSES = [
  ...new Set([...EXECUTION_STATUSES.map((status) => statusWord(status)), ...EXECUTION_STATUSES]),
]

/** Declares `--status`. */
export function statusOption(): Option {
  return new Option('--status <status>', 'executions with this status').choices(STATUSES)
}

/** The status that was given, as the API has it. */
export function readStatus(options: Readonly<Record<string, unknown>>): ExecutionStatus | undefined {
  return EXECUTION_STATUSES.find((one) => [one, statusWord(one)].includes(String(options['status'])))
}
