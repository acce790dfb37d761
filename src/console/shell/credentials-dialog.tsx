import { useState } from 'react'
import type { FormEvent } from 'react'
import type { CredentialRequest } from '../api/credentials.ts'
import { useServices } from '../services/services-context.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { TextField } from '../ui/controls/text-field.tsx'

const TEXT = {
  key: {
    title: 'Console key',
    why: 'This server asks for its console key: the value of SERVICE_CONSOLE_ACCESS_KEY where it runs.',
    label: 'Console key',
    refused: 'That key was refused.',
  },
  token: {
    title: 'User token',
    why: 'This action is a user route: it takes a token that the server’s auth provider accepts.',
    label: 'Token',
    refused: 'That token was refused.',
  },
} as const

/** Asks for what the server wants to see. Kept for this tab only. */
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
    <Dialog title={title} close={() => request.submit(undefined)}>
      <form onSubmit={submit} className="flex w-96 max-w-full flex-col gap-3">
        <p className="text-dim">{why} It is kept for this tab only.</p>
        <TextField
          label={label}
          type="password"
          value={value}
          onChange={setValue}
          error={request.refused ? refused : undefined}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={() => request.submit(undefined)}>Not now</Button>
          <Button kind="primary" type="submit">
            Use it
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
