import type { Locator } from 'playwright-core'

/** Opens a select of the console and chooses the option with this text. */
export async function chooseOption(select: Locator, text: string | RegExp): Promise<void> {
  await select.click()
  await select.page().getByRole('option', { name: text, exact: true }).click()
}
