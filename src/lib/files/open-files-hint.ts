/** How to raise the limit of open files, for an error that reports it (`EMFILE`, `ENFILE`). */
export function openFilesHint(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE'
    ? 'The limit of open files is reached. Raise it: ulimit -n 8192'
    : undefined
}
