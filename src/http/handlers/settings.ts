import type { Environment } from '../../agent/models/model-provider.ts'
import { chooseModel } from '../../agent/models/model-choice.ts'
import type { ServerSettings, settingsEndpoints } from '../../contract/endpoints/settings.ts'
import { AppError } from '../../lib/errors.ts'
import { maskPassword } from '../../store/postgres/connection/postgres-url.ts'
import { envFileKeys } from '../../observability/keys/env-file.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof settingsEndpoints

/** Environment variables that are reported as set or not set. */
const KEYS = [
  'DATABASE_URL',
  'SERVICE_CONSOLE_ACCESS_KEY',
  'AGENTSERVER_LINK_SECRET',
  'SERVICE_PUBLIC_KEY',
  'SERVICE_SECRET_KEY',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'AGENTSERVER_MODEL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OLLAMA_HOST',
] as const

const MAX_FILES = 500

export function settingsHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    getServerSettings: (): ServerSettings => {
      const { config, gate, storage, files } = services.current()
      const { production, project } = services
      const { database, durability, retention, observability, updates } = config
      const inFile = envFileKeys(services.root)
      return {
        version: services.version,
        node: process.versions.node,
        production,
        auth: {
          mode: gate.policy.mode,
          provider: gate.policy.provider?.type ?? null,
          bypass: !production && gate.policy.mode !== 'none',
        },
        keys: KEYS.map((name) => ({ name, set: isSet(name), inEnvFile: inFile.has(name) })),
        config: {
          file: project?.file ?? null,
          directory: production ? null : services.root,
          watched: project?.watched ?? false,
          files: files.slice(0, MAX_FILES),
          fileCount: files.length,
        },
        database: { kind: storage, place: maskPassword(database).replace(/^file:(?!\/\/)/, ''), durability },
        retention,
        observability: {
          enabled: observability.enabled,
          captureContent: observability.captureContent ?? !production,
        },
        model: modelOf(process.env, production),
        updates: { allowInstall: !production || updates.allowInstall },
        changes: [...services.configChanges()],
        pricedModels: Object.keys(config.prices),
      }
    },
  }
}

function modelOf(env: Environment, production: boolean): ServerSettings['model'] {
  try {
    const { provider, modelId, origin } = chooseModel(undefined, { env, production })
    return { name: provider === 'demo' ? 'demo' : `${provider}/${modelId}`, origin }
  } catch (error) {
    // agents without a model fail with the same message
    if (error instanceof AppError) return { name: null, origin: error.message }
    throw error
  }
}

function isSet(name: string): boolean {
  return (process.env[name] ?? '').trim() !== ''
}
