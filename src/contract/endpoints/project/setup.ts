import { z } from 'zod'
import { endpoints } from '../../endpoint.ts'

/**
 * A value that can be written to `.env` without quotes, and that a shell which reads the file parses identically:
 * visible ASCII without `"#$'\` and backtick.
 */
export const ENV_VALUE = /^[!%&(-[\]-_a-~]{1,512}$/

export const ENV_VALUE_RULE =
  'Must be 1 to 512 visible ASCII characters without quotes, backslash, backtick, $ and #'

const EnvValue = z.string().regex(ENV_VALUE, ENV_VALUE_RULE)

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

export const SetupObservabilityBody = z
  .object({
    publicKey: EnvValue.describe('Public key, written as SERVICE_PUBLIC_KEY'),
    secretKey: EnvValue.describe('Secret key, written as SERVICE_SECRET_KEY'),
    endpoint: EnvValue.refine(isHttpUrl, 'Must be an http(s) URL')
      .optional()
      .describe('OTLP endpoint, written as OTEL_EXPORTER_OTLP_ENDPOINT'),
  })
  .meta({ id: 'SetupObservabilityBody' })
export type SetupObservabilityBody = z.infer<typeof SetupObservabilityBody>

export const SetupObservabilityResult = z.object({
  envFile: z.string().describe('Path of the file, relative to the project'),
  keys: z.array(z.string()).describe('Names of the written variables'),
  restartRequired: z.boolean().describe('Whether a restart is required for them to take effect'),
})
export type SetupObservabilityResult = z.infer<typeof SetupObservabilityResult>

export const setupEndpoints = endpoints({
  setupObservability: {
    method: 'POST',
    path: '/setup-observability',
    group: 'setup',
    tag: 'Observability',
    summary: 'Writes the trace-export credentials to .env',
    body: SetupObservabilityBody,
    reply: { kind: 'data', schema: SetupObservabilityResult },
    errors: [409, 413, 415],
  },
})
