import type { SetupObservabilityBody } from '../../contract/endpoints/project/setup.ts'
import { AppError } from '../../lib/errors.ts'
import { setupObservability } from '../../observability/keys/setup-observability.ts'
import { prompt, canPrompt } from '../options/prompt.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import { EXIT } from '../exit-code.ts'
import { projectRoot } from '../options/load-config.ts'

export const setupObservabilityCommand: CliCommand = {
  define: (command) => {
    command
      .option('--public-key <key>', 'public key of the tracing backend')
      .option('--secret-key <key>', 'secret key of the tracing backend')
      .option('--endpoint <url>', 'OTLP/HTTP endpoint that receives the spans')
      .addHelpText(
        'after',
        `\nIn a terminal, missing keys are prompted for. The secret key is not displayed.\n${examples(
          'setup-observability',
          'setup-observability --public-key pk-1 --secret-key sk-1 --endpoint https://otel.example',
        )}`,
      )
  },
  run: async (call) => {
    const { options, terminal } = call
    const root = options.url === undefined ? await projectRoot(options) : undefined
    const body = await readCredentials(call)
    const result =
      root === undefined
        ? await (await connect(call)).client.setupObservability({ body })
        : await setupObservability({ root, ...body })
    if (terminal.json) terminal.printValue(result)
    else terminal.print(`${terminal.paint.green('✓')} Saved ${result.keys.join(', ')} to ${result.envFile}`)
    return EXIT.done
  },
}

/** The credentials from the options; in a terminal, missing ones are prompted for. */
async function readCredentials({ options, terminal }: CommandCall): Promise<SetupObservabilityBody> {
  const { publicKey, secretKey, endpoint } = options as Partial<SetupObservabilityBody>
  if (publicKey !== undefined && secretKey !== undefined) return bodyOf(publicKey, secretKey, endpoint)
  if (!canPrompt(terminal)) throw missingOptions({ publicKey, secretKey })
  return bodyOf(
    publicKey ?? (await prompt('Public key:', terminal)),
    secretKey ?? (await prompt('Secret key (hidden):', terminal, { hidden: true })),
    endpoint ?? (await prompt('Endpoint (empty for none):', terminal)),
  )
}

function bodyOf(publicKey: string, secretKey: string, endpoint = ''): SetupObservabilityBody {
  return { publicKey, secretKey, ...(endpoint !== '' && { endpoint }) }
}

function missingOptions({
  publicKey,
  secretKey,
}: { [Key in 'publicKey' | 'secretKey']: string | undefined }): AppError {
  const flags = [
    ...(publicKey === undefined ? ['--public-key'] : []),
    ...(secretKey === undefined ? ['--secret-key'] : []),
  ]
  return new AppError('invalid_input', `Missing options: ${flags.join(' and ')}`, {
    hint: 'Pass them as options, or run in a terminal to be prompted.',
  })
}
