import { useEffect, useState } from 'react'
import { Tooltip } from '@base-ui/react/tooltip'

const DELAY_MS = 500
/** Time to move the pointer from the control to its tooltip. */
const LEAVE_MS = 150

/**
 * The tooltip of all controls: shows the text of `data-tooltip` at the control under the pointer or with the keyboard
 * focus, until the pointer leaves both, the focus moves, or Escape is pressed. Screen readers get the text from the
 * control itself.
 */
export function ControlTooltip() {
  const [control, setControl] = useState<HTMLElement>()
  useEffect(() => follow(setControl), [])
  return (
    <Tooltip.Root
      open={control !== undefined}
      onOpenChange={(open) => {
        if (!open) setControl(undefined)
      }}
    >
      <Tooltip.Portal>
        <Tooltip.Positioner anchor={control ?? null} sideOffset={4} collisionPadding={4} className="z-30">
          <Tooltip.Popup
            aria-hidden="true"
            data-tooltip-popup=""
            className="max-w-72 rounded-sm border border-line-strong bg-raised px-2 py-0.5 text-sm shadow-float [[data-anchor-hidden]>&]:hidden"
          >
            {control?.dataset['tooltip']}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

/** Calls `show` with the control whose tooltip is to be shown. Returns its stop function. */
function follow(show: (control: HTMLElement | undefined) => void): () => void {
  const stop = new AbortController()
  const options = { signal: stop.signal, capture: true }
  let timer: ReturnType<typeof setTimeout> | undefined
  const showAfter = (ms: number, control?: HTMLElement) => {
    clearTimeout(timer)
    timer = setTimeout(() => show(control), ms)
  }
  const hide = () => showAfter(0)
  document.addEventListener(
    'pointerover',
    ({ target, pointerType }) => {
      if (pointerType !== 'mouse') return
      if (isPopup(target)) clearTimeout(timer)
      else {
        const control = controlOf(target)
        showAfter(control ? DELAY_MS : LEAVE_MS, control)
      }
    },
    options,
  )
  document.addEventListener(
    'focusin',
    ({ target }) => {
      const control = controlOf(target)
      if (control?.matches(':focus-visible')) showAfter(0, control)
    },
    options,
  )
  document.addEventListener('focusout', hide, options)
  document.addEventListener('pointerdown', hide, options)
  document.addEventListener('keydown', ({ key }) => ['Escape', 'Enter', ' '].includes(key) && hide(), options)
  return () => {
    clearTimeout(timer)
    stop.abort()
  }
}

function controlOf(target: EventTarget | null): HTMLElement | undefined {
  return (target as Element).closest<HTMLElement>('[data-tooltip]') ?? undefined
}

function isPopup(target: EventTarget | null): boolean {
  return (target as Element).closest('[data-tooltip-popup]') !== null
}
