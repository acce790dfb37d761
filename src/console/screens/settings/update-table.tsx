import type { DataOf } from '../../api/call.ts'
import { Button } from '../../ui/controls/button.tsx'

export interface UpdateTableProps {
  readonly updates: DataOf<'getUpdates'>['updates']
  readonly install: (packageName: string) => void
  readonly disabled: boolean
}

/** The packages with newer versions. */
export function UpdateTable({ updates, install, disabled }: UpdateTableProps) {
  return (
    <table className="mx-4 max-w-4xl">
      <thead className="text-left text-sm text-dim">
        <tr className="h-7 border-b border-line">
          {['Package', 'Installed', 'Allowed', 'Latest', 'Change'].map((name) => (
            <th key={name} scope="col" className="pr-6 font-normal">
              {name}
            </th>
          ))}
          <th scope="col">
            <span className="sr-only">Install</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {updates.map(({ name, installed, wanted, latest, type }) => (
          <tr key={name} className="h-8 border-b border-line">
            <th scope="row" className="break-all pr-6 text-left font-medium">
              {name}
            </th>
            <td className="pr-6 font-mono text-sm">{installed}</td>
            <td className="pr-6 font-mono text-sm">{wanted}</td>
            <td className="pr-6 font-mono text-sm">{latest}</td>
            <td className={`pr-6 ${type === 'major' ? 'text-suspended' : ''}`}>{type}</td>
            <td className="text-right">
              <Button
                size="small"
                onClick={() => install(name)}
                disabled={disabled}
                title={`Install ${name} ${latest}`}
              >
                Install
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
