import { SetupObservabilityBody } from '../../contract/endpoints/project/setup.ts'
import type { SetupObservabilityResult } from '../../contract/endpoints/project/setup.ts'
import { AppError } from '../../lib/errors.ts'
import { ENV_FILE, writeEnvFile } from './env-file.ts'

/** The variables of the trace export that can be written. */
export const OBSERVABILITY_KEYS = {
  publicKey: 'SERVICE_PUBLIC_KEY',
  secretKey: 'SERVICE_SECRET_KEY',
  endpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
} as const

export interface SetupObservabilityOptions {
  /** The project's absolute directory. */
  readonly root: string
  readonly publicKey: string
  readonly secretKey: string
  /** The OTLP endpoint, an http(s) URL. The present value is kept when this is omitted. */
  readonly endpoint?: string | undefined
}

/**
 * Writes the trace-export credentials to the project's `.env`. A running `dev` applies them without a restart.
 *
 * @throws AppError `invalid_input` for a value that `.env` can't hold, `conflict` when the file can't be written.
 * The messages contain no values.
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
