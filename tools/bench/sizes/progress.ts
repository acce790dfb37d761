/** Prints what a long measurement does. */
export function progress(text: string): void {
  process.stderr.write(`  ${text}\n`)
}
