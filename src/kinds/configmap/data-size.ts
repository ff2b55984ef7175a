// How much a ConfigMap or Secret may hold.

export const maxDataBytes = 1024 * 1024

/** Number of bytes that a base64 text stands for. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((text.length * 3) / 4) - padding)
}
