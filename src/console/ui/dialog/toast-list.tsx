import { useEffect, useEffectEvent } from 'react'
import { Toast } from '@base-ui/react/toast'
import { useServices } from '../../services/services-context.tsx'
import { Link } from '../../router/link.tsx'
import { CloseButton } from '../controls/button.tsx'
import { escapeHidden } from '../escape-text.ts'
import { Icon } from '../icon.tsx'
import type { Toast as ToastData } from './toasts.ts'

const MAX_SHOWN = 4
const SHOWN_MS = { info: 4000, error: 12_000 } as const

/**
 * The open toasts: in the corner of the window, in a narrow one below the content, so that they cover none of it. They
 * stay while pointer or focus is in them, and are announced. F6 moves the focus to them.
 */
export function ToastList() {
  return (
    <Toast.Provider limit={MAX_SHOWN} timeout={SHOWN_MS.info}>
      <Connected />
    </Toast.Provider>
  )
}

function Connected() {
  const { toasts: source } = useServices()
  const { toasts, add, close } = Toast.useToastManager<ToastData>()
  const show = useEffectEvent((toast: ToastData) => {
    const { kind, text } = toast
    add({
      data: toast,
      title: escapeHidden(text),
      timeout: SHOWN_MS[kind],
      priority: kind === 'error' ? 'high' : 'low',
    })
  })
  useEffect(() => source.connect((toast) => show(toast)), [source])
  return (
    <Toast.Viewport
      aria-label="Notifications"
      className="z-20 flex flex-col gap-2 max-md:not-empty:p-2 md:fixed md:bottom-3 md:right-3"
    >
      {toasts.map((toast) => (
        <Toast.Root
          key={toast.id}
          toast={toast}
          swipeDirection={[]}
          aria-label={toast.data?.kind === 'error' ? 'Error' : 'Notification'}
          className="flex items-center gap-2 rounded-md border border-line-strong bg-raised py-1 pl-3 pr-1 shadow-float data-limited:hidden md:max-w-96"
        >
          <Icon
            name={toast.data?.kind === 'error' ? 'error' : 'ok'}
            className={toast.data?.kind === 'error' ? 'text-error' : 'text-ok'}
          />
          <Toast.Title render={<span />} className="min-w-0 flex-1 break-words" />
          {toast.data?.link && <Link to={toast.data.link.to}>{toast.data.link.text}</Link>}
          <CloseButton label="Close" onClick={() => close(toast.id)} />
        </Toast.Root>
      ))}
    </Toast.Viewport>
  )
}
