import type { Command } from 'commander'
import type { CallOf } from '../client/create-client.ts'
import type { Endpoints } from '../contract/index.ts'
import { AppError } from '../lib/errors.ts'
import type { CommandCall } from './command.ts'
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
export async function givenInput({ options, terminal }: CommandCall) {
  const { input, context, user, conversation } = options as Record<string, string | undefined>
  if (input === '-' && context === '-')
    throw new AppError('invalid_input', 'Only one of --input and --context can be read from stdin')
  const read = (option: string, given: string | undefined) =>
    given === undefined ? undefined : readJsonArgument({ option, given, terminal })
  return {
    input: (await read('--input', input)) ?? {},
    userId: user,
    conversationId: conversation,
    context: asObject(await read('--context', context)),
  }
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
