import type { Command } from 'commander'
import type { CallOf } from '../../client/create-client.ts'
import type { Endpoints } from '../../contract/index.ts'
import { AppError } from '../../lib/errors.ts'
import type { CommandCall } from '../command.ts'
import { readJsonArgument } from './json-argument.ts'

/** Declares what a command takes that starts an execution. */
export function executionOptions(command: Command): Command {
  return command
    .argument('<workflow>', 'id of the workflow')
    .option('--input <json>', 'input as JSON, @file, or - for stdin (default: {})')
    .option('--execution-id <id>', 'an id of your own for the execution')
    .option('--user <id>', 'the user it runs for')
    .option('--conversation <id>', 'the conversation it belongs to')
    .option('--context <json>', 'further data for every step: an object as JSON, @file, or - for stdin')
}

type ExecuteBody = CallOf<Endpoints['streamWorkflow']>['body']

/** The request's body, made from the options. */
export async function executeBody(call: CommandCall): Promise<ExecuteBody> {
  const { executionId } = call.options as Record<string, string | undefined>
  const { input, ...options } = await givenInput(call)
  return { input, options: { executionId, ...options } }
}

/** What runs a workflow or a tool: its input, and for whom. */
export async function givenInput(call: CommandCall) {
  const { input: given } = call.options as Record<string, string | undefined>
  const { terminal } = call
  const caller = await givenCaller(call)
  const input =
    given === undefined ? {} : ((await readJsonArgument({ option: '--input', given, terminal })) ?? {})
  return { input, ...caller }
}

/** For whom something is run. */
export async function givenCaller({ options, terminal }: CommandCall) {
  const { input, context: given, user, conversation } = options as Record<string, string | undefined>
  if (input === '-' && given === '-')
    throw new AppError('invalid_input', 'Only one of --input and --context can be read from stdin')
  const context =
    given === undefined ? undefined : await readJsonArgument({ option: '--context', given, terminal })
  return { userId: user, conversationId: conversation, context: asObject(context) }
}

/** The value of `--context`, which has to be an object. */
function asObject(context: unknown): Record<string, unknown> | undefined {
  if (context === undefined) return undefined
  if (typeof context === 'object' && context !== null && !Array.isArray(context))
    return context as Record<string, unknown>
  throw new AppError('invalid_input', '--context must be a JSON object', {
    hint: `Example: --context '{"tenant":"acme"}'`,
  })
}
