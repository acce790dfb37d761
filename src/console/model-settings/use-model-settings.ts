import { isObject } from '../form/json-schema.ts'
import { useForm } from '../form/use-form.ts'
import type { Form } from '../form/use-form.ts'
import { SETTINGS_SCHEMA } from './settings-schema.ts'
import type { Settings } from './settings-schema.ts'

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
