import { useState } from 'react'
import type { CredentialRequest } from '../api/credentials.ts'
import { useServices } from '../services/services-context.tsx'
import { FormDialog } from '../ui/dialog/dialog.tsx'
import { TextField } from '../ui/controls/text-field.tsx'

const TEXT = {
  key: {
    title: 'Console key',
    why: 'This server requires its console key, the value of SERVICE_CONSOLE_ACCESS_KEY.',
    label: 'Console key',
    refused: 'The key was not accepted.',
  },
  token: {
    title: 'User token',
    why: 'This action requires a token that the auth provider of the server accepts.',
    label: 'Token',
    refused: 'The token was not accepted.',
  },
} as const

/** Prompts for the console key or a user token. */
export function CredentialsDialog({ request }: { readonly request: CredentialRequest }) {
  const { live, queries } = useServices()
  const [value, setValue] = useState('')
  const { title, why, label, refused } = TEXT[request.kind]
  const submit = () => {
    if (value.trim() === '') return
    request.submit(value.trim())
    live.retry()
    void queries.invalidateQueries()
  }
  return (
    <FormDialog
      title={title}
      close={() => request.submit(undefined)}
      edited={value !== ''}
      note={`${why} It is stored for this tab only.`}
      submit={submit}
      verb="Continue"
    >
      <TextField
        label={label}
        type="password"
        value={value}
        onChange={setValue}
        error={request.refused ? refused : undefined}
      />
    </FormDialog>
  )
}
