import { createHash } from 'node:crypto'
import type { ErrorLocation, ExecutionError } from '../../contract/event.ts'
import { failingLine } from '../../contract/failing-line.ts'
import { stepPattern } from '../../contract/step-path.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'

/** Messages that begin alike are alike. */
const COMPARED_CHARACTERS = 500
/** Quoted parts, of which an apostrophe within a word is none. */
const QUOTED = /"[^"]*"|`[^`]*`|“[^”]*”|«[^»]*»|(?<!\w)'[^']*'(?!\w)/g
const WORDS = /[\w.-]+/g
const DIGIT = /\d/
const FAILING_LINE = /^> *\d+ \| *(.*)$/m

/**
 * The group of failures that an execution belongs to when it ends with an error: of its workflow, with the same
 * error at the same step and the same line of code, apart from numbers, ids and quoted parts of the message. The line is
 * known by its text, so that it stays the same when a save moves it. `null` for a child, whose failure is that of its
 * parent, for an answer, which is in the history of its agent, and for the replay of a pin, which only tries a save.
 */
export function failureGroup(
  error: ExecutionError,
  row: Pick<ExecutionRow, 'kind' | 'workflowId' | 'parentId' | 'forkedFrom'>,
): string | null {
  const { kind, workflowId, parentId, forkedFrom } = row
  if (kind === 'answer' || parentId !== null || forkedFrom?.endsWith('"pinned":true}')) return null
  const { name, message, stepId = '' } = error
  const parts = [workflowId, name, stepPattern(stepId), placeOf(failingLine(error)), withoutValues(message)]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

function withoutValues(message: string): string {
  return message
    .slice(0, COMPARED_CHARACTERS)
    .replace(QUOTED, '""')
    .replace(WORDS, (word) => (DIGIT.test(word) ? '#' : word))
}

function placeOf(location: ErrorLocation | undefined): string {
  if (location === undefined) return ''
  return `${location.file} ${FAILING_LINE.exec(location.frame)?.[1] ?? ''}`
}
