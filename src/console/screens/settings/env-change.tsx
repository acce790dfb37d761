import type { Settings } from '../../live/use-settings.ts'

export interface EnvChangeProps {
  readonly values: Readonly<Record<'publicKey' | 'secretKey' | 'endpoint', string>>
  readonly settings: Settings
}

/** The lines of `.env` as they would be. The secret stays hidden. */
export function EnvChange({ values, settings }: EnvChangeProps) {
  const { publicKey, secretKey, endpoint } = values
  const lines = [
    ['SERVICE_PUBLIC_KEY', publicKey],
    ['SERVICE_SECRET_KEY', '•'.repeat(Math.min(secretKey.length, 24))],
    ...(endpoint.trim() === '' ? [] : [['OTEL_EXPORTER_OTLP_ENDPOINT', endpoint]]),
  ] as const
  const there = (name: string) => settings.keys.some((key) => key.name === name && key.inEnvFile)
  return (
    <figure className="rounded-md border border-line bg-panel p-2">
      <figcaption className="pb-1 text-sm text-dim">
        The change to .env, of which every other line stays:
      </figcaption>
      <ul aria-label="Change to .env" className="font-mono text-sm">
        {lines.map(([name = '', value = '']) => (
          <li key={name} className="break-all">
            {there(name) && (
              <div className="text-error">
                - {name}=<span className="font-sans">what it is now</span>
              </div>
            )}
            <div className="text-ok">
              + {name}={value}
            </div>
          </li>
        ))}
      </ul>
    </figure>
  )
}
