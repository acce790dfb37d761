import { SchemaForm } from '../form/schema-form.tsx'
import type { ModelSettings } from './use-model-settings.ts'

export interface ModelSettingsFieldsProps {
  readonly settings: ModelSettings
  /** Message of a 400 response, shown at the fields that it names. */
  readonly validationMessage?: string | undefined
  /** Called on Ctrl+Enter or Cmd+Enter in the JSON editor. */
  readonly onSubmit?: () => void
}

/** Temperature, token limit, stop sequences and the other settings of a request: one field each, or all as JSON. */
export function ModelSettingsFields({ settings, validationMessage, onSubmit }: ModelSettingsFieldsProps) {
  return (
    <SchemaForm
      form={settings.form}
      label="Model settings"
      root="options"
      columns
      validationMessage={validationMessage}
      {...(onSubmit && { onSubmit })}
    />
  )
}
