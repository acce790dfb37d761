/** Puts the focus on the answer to what a suspended execution waits for. */
export function toResumePanel(): void {
  const panel = document.querySelector<HTMLElement>('[data-resume]')
  const field = panel?.querySelector<HTMLElement>('input, select, textarea')
  const target = field ?? panel
  target?.scrollIntoView({ block: 'nearest' })
  target?.focus()
}
