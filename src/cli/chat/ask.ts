/** Prompts for a line of input; `undefined` when the user leaves instead: with Ctrl-C, or at the end of the input. */
export type Ask = (question: string) => Promise<string | undefined>
