import type { ExecutionDetail } from '../../../../contract/endpoints/execution.ts'
import type { LogRecord } from '../../../../contract/endpoints/log.ts'
import type { ExecutionError } from '../../../../contract/event.ts'
import { causesOf } from './causes-of.ts'

/** Characters of a value or a stack that are copied. */
const MAX_LENGTH = 8000

/** A failed execution as Markdown, for an issue or a coding agent: error, source, input and logs (oldest first). */
export function errorMarkdown(
  { id, workflowId, createdAt, input, steps }: ExecutionDetail,
  error: ExecutionError,
  logs: readonly LogRecord[],
): string {
  const step = steps.find(({ stepId }) => stepId === error.stepId)
  const place = error.stepId === undefined ? '' : ` in step ${code(error.stepId)}`
  return [
    `# Workflow ${code(workflowId)} failed${place}`,
    `Execution ${code(id)}, started ${createdAt}`,
    ...errorParts(error),
    ...causesOf(error).flatMap((cause) => ['## Caused by', ...errorParts(cause)]),
    ...(error.stack === undefined ? [] : ['## Stack', block(error.stack)]),
    '## Input',
    json(input),
    ...(step ? [`## Input of step ${code(step.stepId)}`, json(step.input)] : []),
    ...(logs.length === 0 ? [] : ['## Logs', block(logs.map(lineOf).join('\n'))]),
  ].join('\n\n')
}

function errorParts({ name, message, location }: ExecutionError): string[] {
  return [
    block(`${name}: ${message}`),
    ...(location
      ? [`${code(`${location.file}:${location.line}:${location.column}`)}:`, block(location.frame)]
      : []),
  ]
}

function lineOf({ timestamp, level, message }: LogRecord): string {
  return `${timestamp} ${level} ${message}`
}

function json(value: unknown): string {
  return block(JSON.stringify(value ?? null, null, 2), 'json')
}

/** A code block. Its fence is longer than any in the text. */
function block(text: string, language = ''): string {
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${shown}\n${fence}`
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}
