import { useState } from 'react'
import type { FormEvent } from 'react'
import type { CredentialRequest } from '../api/credentials.ts'
import { useServices } from '../services/services-context.tsx'
import { Button } from '../ui/controls/button.tsx'
import { CancelButton } from '../ui/dialog/cancel-button.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (value.trim() === '') return
    request.submit(value.trim())
    live.retry()
    void queries.invalidateQueries()
  }
  return (
    <Dialog title={title} close={() => request.submit(undefined)} edited={value !== ''}>
      <form onSubmit={submit} className="flex w-96 max-w-full flex-col gap-3">
        <p className="text-dim">{why} It is stored for this tab only.</p>
        <TextField
          label={label}
          type="password"
          value={value}
          onChange={setValue}
          error={request.refused ? refused : undefined}
        />
        <div className="flex justify-end gap-2">
          <CancelButton />
          <Button kind="primary" type="submit">
            Continue
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
