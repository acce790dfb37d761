/** Puts the focus on the answer to what a suspended execution waits for. */
export function focusResumePanel(): void {
  const panel = document.querySelector<HTMLElement>('[data-resume]')
  const fields = [...(panel?.querySelectorAll<HTMLElement>('input, select, textarea') ?? [])]
  const buttons = [...(panel?.querySelectorAll<HTMLElement>('button') ?? [])]
  // where nothing is asked there is only the button that sends
  const target = fields.find((field) => field.checkVisibility()) ?? buttons.at(-1)
  target?.scrollIntoView({ block: 'nearest' })
  target?.focus()
}
