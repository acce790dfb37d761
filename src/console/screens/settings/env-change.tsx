import type { Settings } from '../../live/use-settings.ts'

export interface EnvChangeProps {
  readonly values: Readonly<Record<'publicKey' | 'secretKey' | 'endpoint', string>>
  readonly settings: Settings
}

/** The change to `.env`, with the secret hidden. */
export function EnvChange({ values, settings }: EnvChangeProps) {
  const { publicKey, secretKey, endpoint } = values
  const lines = [
    ['SERVICE_PUBLIC_KEY', publicKey],
    ['SERVICE_SECRET_KEY', '•'.repeat(Math.min(secretKey.length, 24))],
    ...(endpoint.trim() === '' ? [] : [['OTEL_EXPORTER_OTLP_ENDPOINT', endpoint]]),
  ] as const
  const isSet = (name: string) => settings.keys.some((key) => key.name === name && key.inEnvFile)
  return (
    <figure className="rounded-md border border-line bg-panel p-2">
      <figcaption className="pb-1 text-sm text-dim">Change to .env; all other lines are kept:</figcaption>
      <ul aria-label="Change to .env" className="font-mono text-sm">
        {lines.map(([name = '', value = '']) => (
          <li key={name} className="break-all">
            {isSet(name) && (
              <div className="text-error">
                - {name}=<span className="font-sans">current value</span>
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
