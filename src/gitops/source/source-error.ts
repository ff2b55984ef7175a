// Why a repository, revision or path could not be read, in one line for people. Messages never carry credentials: they
// are built from cleaned addresses, and texts of other libraries pass through `scrub` first.

export type SourceErrorCode =
  | 'InvalidUrl'
  | 'InvalidRevision'
  | 'RevisionNotFound'
  | 'InvalidPath'
  | 'PathNotFound'
  | 'NotFetched'
  | 'Unreachable'
  | 'Unsupported'
  | 'TooLarge'
  | 'Damaged'

export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: SourceErrorCode

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const folderMissing = 'app path does not exist'
export const noFolder = 'app path is not a directory'

/** The message of a condition says that the folder of an application is not there. */
export const isFolderFault = (message: string): boolean => message.endsWith(folderMissing) || message.endsWith(noFolder)

/** Removes secrets, and the user information of any URL, from a text that others wrote. */
export function scrub(text: string, secrets: readonly string[] = []): string {
  let clean = text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, '$1')
  for (const secret of secrets) {
    if (secret.length === 0) continue
    for (const form of new Set([secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])) {
      clean = clean.replaceAll(form, '***')
    }
  }
  return clean
}

/** The message of whatever was thrown, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/\s*\n\s*/g, ' ').trim()
}
