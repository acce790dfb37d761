import type { Recordings } from '../../evals/recordings/recordings.ts'
import { RECORDINGS } from '../../evals/recordings/recording-file.ts'
import { AppError } from '../../lib/errors.ts'
import type { Terminal } from '../print/terminal.ts'

const MAX_SHOWN = 20

/** @throws AppError `invalid_config` naming the calls of models for which there was no recording. */
export function requireRecordings({ missing }: Recordings): void {
  if (missing.length === 0) return
  throw new AppError('invalid_config', shown(missing).join('\n'), {
    hint: 'Record the answers: agentserver eval --record',
  })
}

/** Prints how many recordings were written, and which were not used. After a run of all cases, deletes those of others. */
export function reportRecordings(
  recordings: Recordings,
  { isComplete, terminal }: { readonly isComplete: boolean; readonly terminal: Terminal },
): void {
  if (recordings.mode === 'record') {
    if (isComplete) recordings.deleteOrphaned()
    const { written, deleted } = recordings
    const removed = deleted.length === 0 ? '' : `, and deleted ${count(deleted.length)} that no case used`
    return terminal.note(`Wrote ${count(written)} to ${RECORDINGS}${removed}`)
  }
  const unused = [...recordings.unused, ...(isComplete ? recordings.orphaned : [])]
  if (unused.length === 0) return
  const files = shown(unused).map((file) => `  ${file}`)
  terminal.note(
    [`${count(unused.length)} not used; agentserver eval --record deletes them:`, ...files].join('\n'),
  )
}

function count(recordings: number): string {
  return recordings === 1 ? '1 recording' : `${recordings} recordings`
}

function shown(lines: readonly string[]): readonly string[] {
  const more = lines.length - MAX_SHOWN
  return more > 0 ? [...lines.slice(0, MAX_SHOWN), `… and ${more} more`] : lines
}
