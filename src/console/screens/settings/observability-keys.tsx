import { useState } from 'react'
import { ApiError } from '../../../client/api-error.ts'
import { errorMessage } from '../../api/request-failure.ts'
import { useAction } from '../../api/use-endpoint.ts'
import { fieldErrors } from '../../form/field-errors.ts'
import type { Settings } from '../../live/config-status.ts'
import { useServices } from '../../services/services-context.tsx'
import { TitledSection } from '../../ui/layout/titled-section.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'

const EMPTY = { publicKey: '', secretKey: '', endpoint: '' }

/** Saves the trace-export credentials to `.env`, after a preview of the change. */
export function ObservabilityKeys({ settings }: { readonly settings: Settings }) {
  const { toasts, queries } = useServices()
  const [values, setValues] = useState(EMPTY)
  const [isPreview, setPreview] = useState(false)
  const setup = useAction('setupObservability')
  const change = (name: keyof typeof EMPTY) => (value: string) => {
    setValues((old) => ({ ...old, [name]: value }))
    setup.reset()
  }
  const { publicKey, secretKey, endpoint } = values
  const complete = publicKey.trim() !== '' && secretKey.trim() !== ''
  const validationMessage =
    setup.error instanceof ApiError && setup.error.status === 400 ? setup.error.message : undefined
  const errors = fieldErrors(validationMessage, '')
  const write = () =>
    setup.mutate(
      { body: { publicKey, secretKey, ...(endpoint.trim() !== '' && { endpoint }) } },
      {
        onSuccess: ({ envFile, keys }) => {
          toasts.info(`Saved ${keys.length} variables to ${envFile}`)
          setValues(EMPTY)
          setPreview(false)
          void queries.invalidateQueries()
        },
      },
    )
  return (
    <TitledSection title="Trace-export credentials">
      <form
        className="flex max-w-md flex-col gap-2 pt-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (complete) setPreview(true)
        }}
      >
        <TextField
          label="Public key"
          required
          value={publicKey}
          onChange={change('publicKey')}
          error={errors.get('publicKey')}
        />
        <TextField
          label="Secret key"
          type="password"
          required
          value={secretKey}
          onChange={change('secretKey')}
          error={errors.get('secretKey')}
        />
        <TextField
          label="Endpoint"
          value={endpoint}
          placeholder="https://collector.example/v1/traces"
          hint="OTLP/HTTP endpoint for traces. Leave empty to keep the current value in .env."
          onChange={change('endpoint')}
          error={errors.get('endpoint')}
        />
        {!isPreview && (
          <div>
            <Button type="submit" disabled={!complete}>
              Preview change
            </Button>
          </div>
        )}
        {isPreview && (
          <>
            <EnvChange values={values} settings={settings} />
            {setup.error && validationMessage === undefined && (
              <p role="alert" className="text-error">
                {errorMessage(setup.error)}
              </p>
            )}
            <div className="flex gap-2">
              <Button kind="primary" onClick={write} disabled={!complete || setup.isPending}>
                Save to .env
              </Button>
              <Button onClick={() => setPreview(false)}>Cancel</Button>
            </div>
          </>
        )}
      </form>
    </TitledSection>
  )
}

interface EnvChangeProps {
  readonly values: Readonly<Record<'publicKey' | 'secretKey' | 'endpoint', string>>
  readonly settings: Settings
}

/** The change to `.env`, with the secret hidden. */
function EnvChange({ values, settings }: EnvChangeProps) {
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
