// Says why a file that a person named can't be read or written. Unknown errors keep the system's message.

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file: a part of its path is a file itself',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'no file can have a name that long',
}

const WRITE_ERRORS: Readonly<Record<string, string>> = {
  ...READ_ERRORS,
  ENOENT: 'its folder is not there: make that first',
  ENOTDIR: 'its folder is a file',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'nothing can be written there',
  ENOSPC: 'there is no room left for it',
}

export function describeReadError(error: unknown): string {
  return describeFileErrorCode(READ_ERRORS, error)
}

export function describeWriteError(error: unknown): string {
  return describeFileErrorCode(WRITE_ERRORS, error)
}

function describeFileErrorCode(words: Readonly<Record<string, string>>, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return words[code] ?? message
}
