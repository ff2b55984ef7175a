// Opening a listening door: a port or address that cannot be had becomes one line that names the option to change.

import { DaemonError } from './options.ts'

export async function listening<T>(
  option: string,
  { port, host }: { readonly port: number; readonly host: string },
  listen: (place: { readonly host: string; readonly port: number }) => Promise<T>,
): Promise<T> {
  try {
    return await listen({ host, port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} of ${host} is in use; choose another one with ${option}`,
      EACCES: `port ${port} of ${host} needs more rights; choose another one with ${option}`,
      EADDRNOTAVAIL: `${host} is no address of this machine; choose another one with --listen`,
      ENOTFOUND: `${host} is no address of this machine; choose another one with --listen`,
    }
    throw new DaemonError(reasons[code ?? ''] ?? `cannot listen on ${host}, port ${port}: ${message}`, { cause: error })
  }
}
