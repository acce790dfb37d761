import { isObject, propertiesOf, resolveSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { useForm } from './use-form.ts'
import type { Form } from './use-form.ts'
import type { AgentOptions } from '../../contract/endpoints/agent.ts'
import { SchemaForm } from './schema-form.tsx'

/** Options of a request to an agent. The conversation is chosen in the list of conversations; tools are for programs. */
export type Settings = Omit<AgentOptions, 'conversationId' | 'toolChoice' | 'activeTools' | 'pauseAt'>

/** The JSON Schema of `AgentOptions`. Defined by the build from the contract, so that the bundle contains no schemas. */
declare const AGENT_OPTIONS: JsonSchema

const DOCUMENT = AGENT_OPTIONS
const OPTIONS = propertiesOf(resolveSchema(DOCUMENT, DOCUMENT))

/** Names of the settings, in the order of their fields. */
const NAMES: Readonly<Record<keyof Settings, string>> = {
  temperature: 'Temperature',
  maxOutputTokens: 'Max output tokens',
  topP: 'Top P',
  topK: 'Top K',
  presencePenalty: 'Presence penalty',
  frequencyPenalty: 'Frequency penalty',
  seed: 'Seed',
  maxSteps: 'Max steps',
  contextLimit: 'Earlier messages',
  resumable: 'Resumable',
  userId: 'User id',
  stopSequences: 'Stop sequences',
  context: 'Context',
  providerOptions: 'Provider options',
}

const ORDER = Object.keys(NAMES) as readonly (keyof Settings)[]

/** The settings as an object whose members are all optional. */
const SETTINGS_SCHEMA: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(ORDER.map((key) => [key, { ...OPTIONS[key], title: NAMES[key] }])),
}

/** Settings of a request, edited with `ModelSettingsFields`. None is set at first. */
export interface ModelSettings {
  readonly form: Form
  /** The settings that are set. They may be invalid: send those that `submit` passes. */
  readonly value: Settings
  /** How many are set. */
  readonly count: number
  /** Calls `send` with the settings if they are valid; otherwise the focus moves to the first bad field. */
  readonly submit: (send: (settings: Settings) => void) => void
  /** Unsets all. */
  readonly clear: () => void
}

const NONE = {}

/** @param initial the settings that are set at first, such as those of a recorded request. */
export function useModelSettings(initial: Settings = NONE): ModelSettings {
  const form = useForm(SETTINGS_SCHEMA, initial)
  const { value: read } = form.read()
  const value: Settings = isObject(read) ? read : NONE
  const count = Object.keys(value).length
  return {
    form,
    value,
    count,
    submit: (send) => {
      // nothing to check, and no code to load for it
      if (form.mode === 'form' && count === 0) send(NONE)
      else form.submit((settings) => send(settings as Settings))
    },
    clear: () => {
      form.setMode('form')
      form.setValue(NONE)
    },
  }
}

interface ModelSettingsFieldsProps {
  readonly settings: ModelSettings
  /** Message of a 400 response, shown at the fields that it names. */
  readonly validationMessage?: string | undefined
  /** Called on Ctrl+Enter or Cmd+Enter. */
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
