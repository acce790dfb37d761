import type { SetupObservabilityBody } from '../../contract/endpoints/setup.ts'
import { AppError } from '../../lib/errors.ts'
import { setupObservability } from '../../observability/keys/setup-observability.ts'
import { prompt, canPrompt } from '../options/prompt.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import { EXIT } from '../exit-code.ts'
import { projectRoot } from '../options/project-root.ts'

export const setupObservabilityCommand: CliCommand = {
  define: (command) => {
    command
      .option('--public-key <key>', 'public key of the service that takes the spans')
      .option('--secret-key <key>', 'its secret key')
      .option('--endpoint <url>', 'where spans are sent')
      .addHelpText(
        'after',
        `\nOn a terminal it asks for the keys that are not given.\n${examples(
          'setup-observability',
          'setup-observability --public-key pk-1 --secret-key sk-1 --endpoint https://otel.example',
        )}`,
      )
  },
  run: async (call) => {
    const { options, terminal } = call
    const root = options.url === undefined ? await projectRoot(options) : undefined
    const body = await answersFor(call)
    const result =
      root === undefined
        ? await (await connect(call)).client.setupObservability({ body })
        : await setupObservability({ root, ...body })
    if (terminal.json) terminal.printValue(result)
    else terminal.print(`${terminal.paint.green('✓')} Wrote ${result.keys.join(', ')} to ${result.envFile}`)
    return EXIT.done
  },
}

/** What was given, and where somebody can be asked, what is missing. */
async function answersFor({ options }: CommandCall): Promise<SetupObservabilityBody> {
  const given = options as Partial<SetupObservabilityBody>
  const { publicKey, secretKey, endpoint } = given
  if (publicKey !== undefined && secretKey !== undefined) return bodyOf(publicKey, secretKey, endpoint)
  if (!canPrompt()) throw missing(given)
  return bodyOf(
    publicKey ?? (await prompt('Public key:')),
    secretKey ?? (await prompt('Secret key (not shown):', { hidden: true })),
    endpoint ?? (await prompt('Endpoint, empty for none:')),
  )
}

function bodyOf(publicKey: string, secretKey: string, endpoint = ''): SetupObservabilityBody {
  return { publicKey, secretKey, ...(endpoint !== '' && { endpoint }) }
}

function missing({ publicKey, secretKey }: Partial<SetupObservabilityBody>): AppError {
  const flags = [
    ...(publicKey === undefined ? ['--public-key'] : []),
    ...(secretKey === undefined ? ['--secret-key'] : []),
  ]
  return new AppError('invalid_input', `Missing: ${flags.join(' and ')}`, {
    hint: 'They can be typed in where there is a terminal.',
  })
}
