import { z } from 'zod'
import { endpoints } from '../endpoint.ts'

/**
 * What may stand in `.env` as a value: it needs no quotes there, and means the same to a shell that reads the
 * file.
 */
export const ENV_VALUE = /^(?!.*["'\\`$#])[\x21-\x7e]{1,512}$/

export const ENV_VALUE_RULE =
  'Must be 1 to 512 visible ASCII characters, without quotes, backslash, backtick, $ and #'

const EnvValue = z.string().regex(ENV_VALUE, ENV_VALUE_RULE)

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

export const SetupObservabilityBody = z
  .object({
    publicKey: EnvValue.describe('Written as SERVICE_PUBLIC_KEY'),
    secretKey: EnvValue.describe('Written as SERVICE_SECRET_KEY'),
    endpoint: EnvValue.refine(isHttpUrl, 'Must be an http(s) URL')
      .optional()
      .describe('Where spans are sent; written as OTEL_EXPORTER_OTLP_ENDPOINT'),
  })
  .meta({ id: 'SetupObservabilityBody' })
export type SetupObservabilityBody = z.infer<typeof SetupObservabilityBody>

export const SetupObservabilityResult = z.object({
  envFile: z.string().describe('Relative to the project'),
  keys: z.array(z.string()).describe('The names of the variables that were written'),
  restartRequired: z.boolean(),
})
export type SetupObservabilityResult = z.infer<typeof SetupObservabilityResult>

export const setupEndpoints = endpoints({
  setupObservability: {
    method: 'POST',
    path: '/setup-observability',
    group: 'setup',
    tag: 'Observability',
    summary: 'Write the observability keys into .env',
    body: SetupObservabilityBody,
    reply: { kind: 'data', schema: SetupObservabilityResult },
    errors: [409, 413, 415],
  },
})
