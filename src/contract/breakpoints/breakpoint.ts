// without zod, so that the console can load it

/** The reason of a suspension at a breakpoint. */
export const BREAKPOINT = 'breakpoint'

/** In `pauseAt`: every step. */
export const EVERY_STEP = '*'
