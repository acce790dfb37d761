/** Whether a dialog is open that keeps the focus and the keys to itself. */
export function isModalOpen(): boolean {
  return document.querySelector('[data-modal], dialog[open]') !== null
}
