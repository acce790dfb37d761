import { Option } from 'commander'
import type { Command } from 'commander'
import type { ApiClient } from '../../client/api.ts'
import type { CallOf } from '../../client/call.ts'
import type { Endpoints } from '../../contract/index.ts'
import { examplesIn } from '../../contract/schema-examples.ts'
import { AppError } from '../../lib/errors.ts'
import type { CommandCall } from '../command.ts'
import { withWorkflowHints } from '../error-hints.ts'
import { collect, readMetadata } from './metadata-option.ts'
import { readJsonArgument } from './json-argument.ts'
import { EXECUTION_STATUSES } from '../../contract/status/execution-statuses.ts'
import type { ExecutionStatus } from '../../contract/status.ts'
import { statusWord } from '../../contract/status/status-word.ts'

/** Declares the arguments and options of commands that start an execution. */
export function executionOptions(command: Command): Command {
  return pauseAtOption(command)
    .argument('<workflow>', 'id of the workflow')
    .option('--input <json>', 'input: JSON, @file, or - for stdin (default: {})')
    .addOption(
      new Option('--example [number]', 'input: an example of the workflow (default: the first)').conflicts(
        'input',
      ),
    )
    .option('--execution-id <id>', 'execution id (default: generated)')
    .option('--user <id>', 'user id')
    .option('--conversation <id>', 'conversation id')
    .option('--context <json>', 'context for all steps: a JSON object, @file, or - for stdin')
    .option('--metadata <name=value>', 'what the execution is found by; can be repeated', collect)
}

type ExecuteBody = CallOf<Endpoints['streamWorkflow']>['body']

/** Builds the request body from the options. */
export async function executeBody(call: CommandCall): Promise<ExecuteBody> {
  const { executionId } = call.options as Record<string, string | undefined>
  const { input, ...options } = await readInput(call)
  const metadata = readMetadata(call.options)
  return { input, options: { executionId, ...options, metadata, pauseAt: readPauseAt(call.options) } }
}

/** The body with the example that `--example` names as its input. */
export async function withExample(
  body: ExecuteBody,
  { args: [id = ''], options: { example } }: CommandCall,
  client: ApiClient,
): Promise<ExecuteBody> {
  if (example === undefined) return body
  const number = example === true ? 1 : wholeNumberOption('--example', example)
  const { inputSchema } = await withWorkflowHints(client.getWorkflow({ params: { id } }), client, id)
  const declared = examplesIn(inputSchema)
  if (number <= declared.length) return { ...body, input: declared[number - 1] }
  if (declared.length === 0)
    throw new AppError('not_found', `Workflow "${id}" has no examples`, {
      hint: 'Declare inputs to try it with: createWorkflow({ examples: [{ … }] })',
    })
  const count = declared.length === 1 ? '1 example' : `${declared.length} examples`
  throw new AppError('not_found', `There is no example ${number}: workflow "${id}" has ${count}`)
}

/** Reads the input, user, conversation and context for a workflow or a tool. */
export async function readInput(call: CommandCall) {
  const { input: value } = call.options as Record<string, string | undefined>
  const { terminal } = call
  const caller = await readCaller(call)
  const input =
    value === undefined ? {} : ((await readJsonArgument({ option: '--input', value, terminal })) ?? {})
  return { input, ...caller }
}

/** Reads the user, conversation and context. */
export async function readCaller({ options, terminal }: CommandCall) {
  const { input, context: value, user, conversation } = options as Record<string, string | undefined>
  if (input === '-' && value === '-')
    throw new AppError('invalid_input', 'Only one of --input and --context can be read from stdin')
  const context =
    value === undefined ? undefined : await readJsonArgument({ option: '--context', value, terminal })
  return { userId: user, conversationId: conversation, context: asObject(context) }
}

/** Checks that the value of `--context` is an object. */
function asObject(context: unknown): Record<string, unknown> | undefined {
  if (context === undefined) return undefined
  if (typeof context === 'object' && context !== null && !Array.isArray(context))
    return context as Record<string, unknown>
  throw new AppError('invalid_input', '--context must be a JSON object', {
    hint: `Example: --context '{"tenant":"acme"}'`,
  })
}

/** Declares the option for breakpoints. */
export function pauseAtOption(command: Command): Command {
  return command.option(
    '--pause-at <steps>',
    'suspend before these steps: ids separated by commas, or * for every step; "" for none',
  )
}

/** The breakpoints of the options; `undefined` when there are none. */
export function readPauseAt({ pauseAt }: Readonly<Record<string, unknown>>): string[] | undefined {
  if (typeof pauseAt !== 'string') return undefined
  return pauseAt
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
}

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

/** The value of an option that is a whole number from 1 to `most`. */
export function wholeNumberOption(option: string, value: unknown, most = 1000): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new AppError('invalid_input', `${option} must be a whole number from 1 to ${most}`)
}
