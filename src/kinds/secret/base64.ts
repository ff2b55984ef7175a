// Base64 of text without Node's Buffer: this room also runs in a browser.

export function encodeBase64(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The text that was encoded; undefined if it is no base64. */
export function decodeBase64(encoded: string): string | undefined {
  try {
    const binary = atob(encoded)
    return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))
  } catch {
    return undefined
  }
}
