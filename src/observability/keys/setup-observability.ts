import { SetupObservabilityBody } from '../../contract/endpoints/setup.ts'
import type { SetupObservabilityResult } from '../../contract/endpoints/setup.ts'
import { AppError } from '../../lib/errors.ts'
import { ENV_FILE, writeEnvFile } from './env-file.ts'

/** The variables that spans are sent with. These, and no others, are written. */
export const OBSERVABILITY_KEYS = {
  publicKey: 'SERVICE_PUBLIC_KEY',
  secretKey: 'SERVICE_SECRET_KEY',
  endpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
} as const

export interface SetupObservabilityOptions {
  /** The project's directory, absolute. */
  readonly root: string
  readonly publicKey: string
  readonly secretKey: string
  /** Where spans are sent, an http(s) URL. What `.env` says of it stays when it is left out. */
  readonly endpoint?: string | undefined
}

/**
 * Writes the observability keys into the project's `.env`. A running `dev` takes them up by itself.
 *
 * @throws AppError `invalid_input` for a value that may not stand in the file, `conflict` when the file can't be
 * written. Neither tells a value.
 */
export async function setupObservability({
  root,
  ...wanted
}: SetupObservabilityOptions): Promise<SetupObservabilityResult> {
  const { success, data, error } = SetupObservabilityBody.safeParse(wanted)
  if (!success) {
    const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new AppError('invalid_input', problems.join('; '))
  }
  const variables = new Map([
    [OBSERVABILITY_KEYS.publicKey, data.publicKey],
    [OBSERVABILITY_KEYS.secretKey, data.secretKey],
    ...(data.endpoint === undefined ? [] : [[OBSERVABILITY_KEYS.endpoint, data.endpoint] as const]),
  ])
  await writeEnvFile(root, variables)
  return { envFile: ENV_FILE, keys: [...variables.keys()], restartRequired: false }
}
