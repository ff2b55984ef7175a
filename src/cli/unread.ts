// Why a file or folder that the user named could not be read, in words.

const words: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder, or lies in what is none',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
  ELOOP: 'its links lead in a circle',
}

export function whyUnread(cause: unknown): string {
  const { code = '', message } = cause as NodeJS.ErrnoException
  return words[code] ?? message
}
