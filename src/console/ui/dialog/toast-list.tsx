import { useSyncExternalStore } from 'react'
import { useServices } from '../../services/services-context.tsx'
import { Link } from '../../router/link.tsx'
import { CloseButton } from '../controls/close-button.tsx'
import { Icon } from '../icon.tsx'

/** The open toasts. */
export function ToastList() {
  const { toasts } = useServices()
  const list = useSyncExternalStore(toasts.subscribe, toasts.list)
  return (
    <div
      role="status"
      aria-live="polite"
      aria-label="Notifications"
      className="fixed bottom-3 right-3 z-20 flex flex-col gap-2"
    >
      {list.map(({ id, kind, text, link }) => (
        <div
          key={id}
          className="flex max-w-96 items-center gap-2 rounded-md border border-line-strong bg-raised py-1 pl-3 pr-1 shadow-float"
        >
          <Icon
            name={kind === 'error' ? 'error' : 'ok'}
            className={kind === 'error' ? 'text-error' : 'text-ok'}
          />
          <span className="min-w-0 flex-1 break-words">{text}</span>
          {link && <Link to={link.to}>{link.text}</Link>}
          <CloseButton label="Close" onClick={() => toasts.close(id)} />
        </div>
      ))}
    </div>
  )
}
