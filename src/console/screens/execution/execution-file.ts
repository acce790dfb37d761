import { isObject } from '../../form/json-schema.ts'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'

/** An execution as JSON, for export: without the link with which whoever has the file could resume it. */
export function executionFile({ resumeUrl: _, ...record }: ExecutionDetail): string {
  return JSON.stringify(record, null, 2)
}

/**
 * The executions in a file: one or several exported ones, or a response of the API.
 *
 * @throws Error that names the missing part.
 */
export function readExecutionFile(text: string): readonly ExecutionDetail[] {
  const parsed = parse(text)
  const value = isObject(parsed) && 'data' in parsed ? parsed['data'] : parsed
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length === 0) throw new Error('The file has no run: the list is empty')
  return list.map(executionIn)
}

function executionIn(value: unknown): ExecutionDetail {
  if (!isObject(value)) throw new Error('The file has no run: not a JSON object')
  for (const key of ['id', 'workflowId', 'status', 'createdAt', 'definitionHash'])
    if (typeof value[key] !== 'string') throw new Error(`The file has no run: "${key}" is missing`)
  for (const key of ['steps', 'events'])
    if (!Array.isArray(value[key]) || !value[key].every(isObject))
      throw new Error(`The run in the file is incomplete: "${key}" is missing`)
  for (const step of value['steps'] as Record<string, unknown>[])
    if (typeof step['path'] !== 'string' || typeof step['startTime'] !== 'string')
      throw new Error('A step in the file has no "path" or "startTime"')
  const { createdAt } = value as { createdAt: string }
  if (Number.isNaN(Date.parse(createdAt))) throw new Error('"createdAt" in the file is not a valid time')
  return {
    updatedAt: createdAt,
    workflowName: value['workflowId'],
    input: null,
    context: {},
    metadata: { traceId: '', spanId: '' },
    ...value,
  } as unknown as ExecutionDetail
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error('The file is not JSON', { cause })
  }
}
