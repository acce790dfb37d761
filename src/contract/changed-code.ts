/** The reason of an execution's suspension while its record does not fit the code. */
export const CHANGED_CODE = 'changed code'

/** What can be done then. */
export const WAYS_OUT =
  'Put the id back or name it with `was`; or resume it with options.acceptChanges, which runs the code as it is; or replay it from a step; or cancel it'
